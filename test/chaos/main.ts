// `npm run chaos -- --minutes 60 --seed 7 [--backend redis|postgres|both] [--redis single|secured|sentinel|cluster] [--citus]
// [--plan weather-mild|weather-bad|hostile|odd-answers|malicious|all] [--weeks 8] [--workers 3]`: a longer run of the chaos
// driver. Prints the seed that repeats it, and ends with 1 when anything was lost, doubled, unexplained or over a limit, a
// process froze or ended by itself, or status said nothing of a load that stood still.
import { parseArgs } from 'node:util';
import { readPlan } from './plans.ts';
import { REDIS_KINDS } from './redis-kinds.ts';
import { type ChaosResult, runChaos } from './run-chaos.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    backend: { type: 'string', default: 'both' },
    redis: { type: 'string', default: 'single' },
    citus: { type: 'boolean', default: false },
    plan: { type: 'string', default: 'all' },
    weeks: { type: 'string', default: '8' },
    workers: { type: 'string', default: '3' },
  },
});
const redis = REDIS_KINDS.find((kind) => kind === values.redis);
if (!redis) throw new Error(`--redis must be one of ${REDIS_KINDS.join(', ')}`);
const backends =
  values.backend === 'both' ? (['redis', 'postgres'] as const) : ([values.backend === 'redis' ? 'redis' : 'postgres'] as const);
const plans = values.plan === 'all' ? ['weather-mild', 'weather-bad', 'hostile', 'odd-answers', 'malicious'] : [values.plan];
const results: ChaosResult[] = [];
const startedAt = Date.now();
const endsAt = startedAt + Number(values.minutes) * 60_000;
for (let round = 0; round === 0 || Date.now() < endsAt; round++) {
  const plan = plans[round % plans.length] ?? 'weather-mild';
  for (const backend of backends) {
    const leftMs = Math.max(30_000, (endsAt - Date.now()) / backends.length);
    const result = await runChaos({
      backend,
      redis,
      isOnCitus: values.citus,
      seed: Number(values.seed) + round,
      // A load that stands still is noticed only after minutes.
      stormMs: Math.min((plan === 'malicious' ? 15 : 4) * 60_000, leftMs / 2),
      minKills: 5,
      calmMs: 10 * 60_000,
      weeks: Number(values.weeks),
      workers: Number(values.workers),
      faults: readPlan(plan),
      // Bad weather alone needs nobody.
      needsOperator: !plan.startsWith('weather'),
      // Long circles need processes that live for longer.
      pace: plan === 'malicious' ? { min: 3_000, max: 20_000 } : { min: 800, max: 5_000 },
      most: { freezeMs: 2_000, rssMb: 700 },
      tell: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
    });
    results.push(result);
    console.log(`plan ${plan}`);
    console.log(JSON.stringify(result, undefined, 2));
  }
}
const sum = (of: (result: ChaosResult) => number): number => results.reduce((total, result) => total + of(result), 0);
console.log(`
minutes ${((Date.now() - startedAt) / 60_000).toFixed(1)}, runs ${results.length}, seed ${values.seed}, plan ${values.plan}
kills ${sum((r) => r.kills)}, disruptions ${sum((r) => Object.values(r.disruptions).reduce((a, b) => a + b, 0))}, faults of the service ${sum((r) => r.faults)}, weeks held ${sum((r) => r.held)}, calls ${sum((r) => r.calls)}, rows compared ${sum((r) => r.rows)}, looks of the reader ${sum((r) => r.looks)}
rows lost ${sum((r) => r.rowsLost)}, rows doubled ${sum((r) => r.rowsDoubled)}, submits ${sum((r) => r.submits)}, unexplained ${sum((r) => r.unexplainedSubmits)}, calls over the limit ${sum((r) => r.callsOverTheLimit)}
freezes over 2 s ${sum((r) => r.freezes.length)}, the longest ${Math.max(...results.map((r) => r.longestFreezeMs))} ms, in ${sum((r) => r.probes)} probes; most memory ${Math.max(...results.flatMap((r) => Object.values(r.peakRssMb)))} MB
unasked ends of processes ${sum((r) => r.unaskedEnds)}; most loads that stood still at once ${Math.max(...results.map((r) => r.mostStanding))}, status asked about them ${sum((r) => r.statusReads)} times, not told ${sum((r) => r.statusContradictions)}
complaints ${sum((r) => r.complaints.length)}`);
process.exitCode = results.every((result) => result.complaints.length === 0) ? 0 : 1;
