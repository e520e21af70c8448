// searchmill check: is everything ready for a start? Spends no submit: credentials are tested by polling an
// executionId that does not exist, which the service refuses differently for a valid and an invalid credential.
import type { JobsConfig } from '../config/settings.ts';
import { SECOND, systemClock } from '../core/clock.ts';
import { closing } from '../core/closing.ts';
import { nameSome } from '../core/name-some.ts';
import { count } from '../core/numbers.ts';
import { DATASETS } from '../datasets/index.ts';
import type { Proxies } from '../egress/route.ts';
import { createCallLog, type NameBudget, registerConnections } from '../ledger/call-log.ts';
import { readJobs } from '../ledger/coverage.ts';
import { readLedgerId } from '../ledger/instances.ts';
import { readSlices } from '../ledger/jobs.ts';
import { findSource, readRenames } from '../ledger/renames.ts';
import { OPS_CONNECTIONS } from '../ops/server.ts';
import { createPool, type Pool } from '../postgres/pool.ts';
import { openQueueBackend } from '../queue/backend/backend.ts';
import { countWorkers } from '../queue/instance.ts';
import { DEFAULT_CONCURRENCY } from '../queue/workers.ts';
import { readUnmetSpellings, type UnmetSpelling } from '../reports/spellings.ts';
import { createServiceClient } from '../service/client.ts';
import { createLimiters } from '../service/limiters.ts';
import { Checks, type Finding } from './checks/checks.ts';
import { checkDatabase } from './checks/database-checks.ts';
import { checkRoutes } from './checks/routes.ts';
import { checkTemporaryFiles } from './checks/temporary-files.ts';
import { chooseBySchedule, describeMinutes, describeStale, type PlanPreview, previewPlan } from './plan-preview.ts';
import { EXIT, type GlobalOptions, printJson, readConfig, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

/** How many jobs with weeks of other filters are named; "plan" names all. */
const MAX_STALE = 5;
/** A budget that is spent for longer than this is reported, not waited for. */
const MAX_WAIT_MS = 10 * SECOND;

export function checkVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  return new Verb('check')
    .description('check configuration, database, queue and credentials; spends no submit')
    .option('--json', 'as JSON')
    .more(`Credentials are tested by polling a query that does not exist: that costs a
read and no submit. Exits with 1 when something does not work (FAIL), with 2
when the configuration has mistakes. What works but
needs attention is shown with "warn".

Examples:
  searchmill check
  searchmill check --config jobs.config.yaml`)
    .action(async (_: unknown, command: Verb) => {
      const environment = readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>());
      const options = command.opts<{ json?: boolean }>();
      const warnings: string[] = [];
      const config = readConfig(terminal, environment, terminal.env, (warning) => warnings.push(warning));
      const checks = new Checks(options.json ? () => undefined : terminal.print);
      await checks.run(
        'configuration',
        async () => `${describeJobs(config)}, ${count(config.connections.size, 'connection')} in ${config.path}`,
      );
      await checks.run('routes', () => checkRoutes(config, environment));
      const databaseUrl = requireDatabase(environment);
      await using pool = createPool(databaseUrl, { applicationName: 'searchmill check', max: 4 });
      let plan: PlanPreview | undefined;
      const listeners = environment.redisUrl ? undefined : countWorkers('all');
      const needs = { concurrency: DEFAULT_CONCURRENCY, listeners, ...OPS_CONNECTIONS };
      const isReady = await checkDatabase(checks, pool, needs);
      await checks.run('temporary files', () => checkTemporaryFiles());
      if (isReady) {
        await checks.run(`queue on ${environment.redisUrl ? 'Redis' : 'Postgres'}`, async () => {
          const options = { databaseUrl, redisUrl: environment.redisUrl, ledgerId: await readLedgerId(pool), onError: () => undefined };
          await using backend = closing(await openQueueBackend(options), (it) => it.close());
          const { answer, warnings: found } = await backend.inspect();
          return found.length === 0 ? answer : { warning: `${answer}; ${found.join('; ')}` };
        });
        if (await checks.run('jobs', () => checkJobs(pool, config)))
          await checks.run('plan', async () => {
            plan = await previewPlan(pool, config, config.jobs, chooseBySchedule);
            return describeSize(plan, config);
          });
        if (plan) await checks.run('filters', async () => describeFilters(plan?.stale ?? []));
        await checks.run('spellings', async () => describeSpellings(await readUnmetSpellings(pool)));
        const nameBudget = await registerConnections(pool, config.connections.values(), { isTrial: true });
        for (const name of config.connections.keys())
          await checks.run(`credential of connection ${name}`, () =>
            checkCredential({ pool, config, proxies: environment, name, nameBudget, signal: terminal.stopping }),
          );
      }
      const isFit = checks.done.every(({ isOk }) => isOk);
      if (options.json)
        printJson(terminal, {
          isFit,
          checks: checks.done,
          jobs: { configured: config.jobs.length, switchedOff: config.jobs.filter((job) => !job.isEnabled).length },
          plan: plan ? { connections: plan.budgets, totals: plan.totals, leftOut: plan.idle, stale: plan.stale } : null,
          warnings,
        });
      setExitCode(isFit ? EXIT.done : EXIT.someFailed);
    });
}

/** `7 jobs (1 disabled)`, or `3 entries make 350 jobs`. */
function describeJobs({ jobs, entryCount }: JobsConfig): string {
  const off = jobs.filter((job) => !job.isEnabled).length;
  const all = count(jobs.length, 'job') + (off === 0 ? '' : ` (${off} disabled)`);
  if (entryCount === jobs.length) return all;
  return `${count(entryCount, 'entry', 'entries')} ${entryCount === 1 ? 'makes' : 'make'} ${all}`;
}

/** How much a start would plan. */
function describeSize({ totals, budgets, idle }: PlanPreview, { jobs }: JobsConfig): string {
  const live = totals.underWay === 0 ? '' : `; ${count(totals.underWay, 'load')} already running`;
  const paused = jobs.filter((job) => job.isEnabled && idle.some(({ job: name }) => name === job.name)).length;
  const left = paused === 0 ? '' : `; left out: ${count(paused, 'paused job')}`;
  if (totals.submits === 0) return `nothing new at the next start${live}${left}${left === '' ? '' : '; "searchmill plan" names them'}`;
  return `${count(totals.submits, 'submit')} planned at the next start, ${describeMinutes(budgets)}${live}${left}; "searchmill plan" shows them`;
}

/** Whether the published weeks answer the current filters. */
function describeFilters(stale: PlanPreview['stale']): Finding {
  if (stale.length === 0) return 'all published weeks match the current filters of their jobs';
  return { warning: nameSome(describeStale(stale), MAX_STALE) };
}

/** Whether datasets that boards join use the same spellings, with the lines that fix it. */
function describeSpellings(unmet: readonly UnmetSpelling[]): Finding {
  if (unmet.length === 0) return 'all loaded AI search data spell engines, places and languages alike';
  const lines = [...new Set(unmet.map(({ line, spelling, answersSpelling }) => `if ${answersSpelling} is ${spelling}, write ${line}`))];
  return { warning: nameSome(lines, MAX_STALE, { separator: '; ' }) };
}

/** Once something was loaded under a job's name, the name belongs to one dataset of one account. */
async function checkJobs(pool: Pool, config: JobsConfig): Promise<string> {
  const known = new Map((await readJobs(pool)).map((job) => [job.name, job]));
  const changed: string[] = [];
  const renames = await readRenames(pool, config.jobs);
  for (const { name, dataset, accountId } of config.jobs) {
    const before = known.get(name);
    const isChanged =
      findSource(renames, name) === name && before !== undefined && (before.dataset !== dataset.name || before.accountId !== accountId);
    if (isChanged && (await readSlices(pool, name)).length > 0) changed.push(`"${name}"`);
  }
  if (changed.length === 0) return 'no two load the same rows, and all match what was loaded before';
  throw new Error(
    `${changed.join(', ')} loaded another dataset or account before; give them new names, so that no week counts as loaded by mistake`,
  );
}

type CredentialCheck = Readonly<{
  pool: Pool;
  config: JobsConfig;
  proxies: Proxies;
  name: string;
  nameBudget: NameBudget;
  signal: AbortSignal;
}>;

async function checkCredential({ pool, config, proxies, name, nameBudget, signal }: CredentialCheck): Promise<string> {
  const connection = config.connections.get(name);
  const dataset = config.jobs.find((job) => job.connection === name)?.dataset ?? DATASETS[0];
  if (!connection || !dataset) return 'is not used';
  const limiters = createLimiters({ budgetOf: (one) => createCallLog(pool, nameBudget(one)), clock: systemClock });
  const limiter = limiters.limiterFor(connection);
  await using client = closing(createServiceClient({ connection, proxies, limiter, clock: systemClock }), (it) => it.close());
  await client.probe(dataset, { priority: 0, maxWaitMs: MAX_WAIT_MS, signal, context: { connection: name } });
  return `accepted by ${connection.baseUrl}`;
}
