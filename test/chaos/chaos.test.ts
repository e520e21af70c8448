// The short run of `npm run test:waiting`: promises P1 to P5 on both queue backends, through kills, cuts, restarts, a service that
// answers as badly as it may, changed filters and decisions of an operator. `npm run chaos` runs it for longer.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readPlan } from './plans.ts';
import { runChaos } from './run-chaos.ts';

const MINUTE = 60_000;
/** Only reached when something hangs: a run that does not come to rest says so itself, with what it waits for. */
const LONGEST_RUN_MS = 30 * MINUTE;
const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;

describe('whatever is killed, cut or emptied', () => {
  it.each([
    { backend: 'postgres', seed: 1, plan: 'odd-answers' } as const,
    // No operator is needed here: each week ends published by itself.
    { backend: 'redis', seed: 2, plan: 'weather-mild' } as const,
  ])(
    'nothing is lost, doubled, erased unasked, unexplained or over the limit, on the $backend queue with the plan $plan',
    async ({ backend, seed, plan }) => {
      if (backend === 'redis' && !hasRedis) {
        if (process.env.CI) throw new Error('in CI nothing is skipped for want of a server, but there is no redis-server');
        console.log('skipped: no redis-server on the PATH');
        return;
      }
      const lines: string[] = [];
      const options = {
        stormMs: 25_000,
        minKills: 12,
        calmMs: 10 * MINUTE,
        weeks: 3,
        pace: { min: 300, max: 1_800 },
        needsOperator: plan === 'odd-answers',
        workers: 3,
        // Other tests run at the same time.
        most: undefined,
      };
      const result = await runChaos({
        ...options,
        backend,
        seed,
        faults: readPlan(plan),
        tell: (line) => lines.push(line),
      }).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}\n${lines.join('\n')}`);
      });
      expect(result.complaints, lines.join('\n')).toEqual([]);
      expect(result).toMatchObject({ slices: 21, rowsLost: 0, rowsDoubled: 0, unexplainedSubmits: 0, callsOverTheLimit: 0 });
      expect(result.kills).toBeGreaterThanOrEqual(12);
      expect(result.looks).toBeGreaterThan(10);
    },
    LONGEST_RUN_MS,
  );
});
