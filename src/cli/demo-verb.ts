// searchmill demo: everything on this machine. Starts Postgres and the sandbox, then runs demo/jobs.config.yaml
// through the same scheduler, queue, workers and limiters as production.
import { once } from 'node:events';
import { basename, resolve, sep } from 'node:path';
import { Option } from 'commander';
import { startEmbeddedPostgres } from '../../embedded/postgres.ts';
import { knownEvents, type StoryName, sandboxChoices, sandboxDefaults, startSandboxThread } from '../../sandbox/sandbox.ts';
import type { Environment, Job, JobsConfig } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { closing } from '../core/closing.ts';
import { createLogger, type Logger } from '../core/log.ts';
import { packagePath } from '../core/package-folder.ts';
import { Secret } from '../core/secret.ts';
import { VERSION } from '../core/version.ts';
import { addDays, type IsoDate, weeksFromTo } from '../core/weeks.ts';
import type { Actor } from '../ledger/actions.ts';
import { addNote, readAnnotations } from '../ledger/annotations.ts';
import { readCoverage } from '../ledger/coverage.ts';
import { createMetrics } from '../ops/metrics.ts';
import { startOpsServer } from '../ops/server.ts';
import { expectBySchedule } from '../pipeline/expected-weeks.ts';
import { createPool, type Pool } from '../postgres/pool.ts';
import { findLoadsSince, summarizeDatasets } from '../publishing/load-summary.ts';
import { startInstance } from '../queue/instance.ts';
import { DEMO_QUESTIONS, type DemoQuestion } from './demo-questions.ts';
import { commonOptions } from './instance-options.ts';
import { summarizeLoads } from './load-summary.ts';
import { migrateAll } from './migrate-verb.ts';
import { describeNothing } from './nothing-to-do.ts';
import { paintFor } from './paint.ts';
import { showProgress } from './progress.ts';
import { DEFAULT_SANDBOX_PORT } from './sandbox-verb.ts';
import { type Cell, formatTable } from './table.ts';
import { EXIT, type GlobalOptions, readConfig, readEnvironment, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { waitForLoads } from './watch.ts';
import { finishSummaries } from './weeks-left.ts';

const WEEKS = 13;
const ACTOR: Actor = { name: 'demo' };

type Flags = Readonly<{ exit?: boolean; story: StoryName }>;

export function demoVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  return new Verb('demo')
    .description('run everything on this machine: needs no account, no server, no Docker')
    .option('--exit', 'exit when everything is loaded, instead of staying up for you to look around')
    .addOption(
      new Option('--story <story>', 'what happens in the invented world').choices(sandboxChoices.story).default(sandboxDefaults.story),
    )
    .more(`Starts Postgres (its data stays in .searchmill/), the sandbox and Searchmill,
and loads ${WEEKS} weeks of every dataset. Running it again loads nothing twice.

Stories, each with data of its own:
  incident   a site loses places in one week and recovers in the next ones
  assistant  in the newest week one assistant stops naming us, another begins
  growth     in the newest week a third more is tracked: figures rise, yet
             nothing has changed

Examples:
  searchmill demo
  searchmill demo --exit
  searchmill demo --story growth`)
    .action(async ({ exit, story }: Flags, command: Verb) => {
      const environment = readEnvironment(terminal, {
        config: packagePath('demo/jobs.config.yaml'),
        ...command.optsWithGlobals<GlobalOptions>(),
      });
      setExitCode(await runDemo(terminal, environment, { story, isLeaving: exit === true }));
    });
}

type Wanted = Readonly<{ story: StoryName; isLeaving: boolean }>;

async function runDemo(terminal: Terminal, environment: Environment, { story, isLeaving }: Wanted): Promise<number> {
  const startedAt = systemClock.now();
  const paint = paintFor(terminal);
  terminal.print(`${paint('bold', 'Searchmill, all of it on this machine')}\n`);
  const directory = dataFolder(story);
  const starting = startEmbeddedPostgres({ directory, log: (line) => terminal.print(`  ${line}`) });
  await using postgres = closing(await starting, (it) => it.stop());
  const databaseUrl = new Secret(postgres.url);
  const applied = await migrateAll(databaseUrl, environment.redisUrl, { tell: terminal.warn });
  const tables = applied.length === 0 ? 'with the tables of an earlier run' : 'with empty tables';
  terminal.print(`  Postgres     127.0.0.1:${postgres.port}, ${tables}`);
  // Not of the newest week that is over: until Monday morning the schedule does not expect it.
  const newest = newestWeekOf(readDemoConfig({ ...terminal, warn: () => undefined }, environment, {}).jobs[0]);
  // The port of "searchmill sandbox", so that the demo's address stays the same.
  const serving = startSandboxThread({ size: 'demo', story, ...(newest && { storyWeek: newest }), port: DEFAULT_SANDBOX_PORT });
  await using sandbox = closing(await serving, (it) => it.close());
  terminal.print(
    `  service      ${sandbox.url}, a sandbox with an invented company${story === sandboxDefaults.story ? '' : `, story ${story}`}`,
  );
  const config = readDemoConfig(terminal, environment, { url: sandbox.url, newest });
  terminal.print(`  queue        BullMQ, on ${environment.redisUrl ? 'the Redis of REDIS_URL' : 'the same Postgres'}`);
  terminal.print(`  jobs         ${config.jobs.length} of ${basename(config.path)}, ${WEEKS} weeks each\n`);
  await using pool = createPool(databaseUrl, { applicationName: 'searchmill demo', max: 24 });
  return await loadAndShow(terminal, { environment, story, config, databaseUrl, pool, startedAt, isLeaving });
}

/**
 * Of each story, since the same weeks differ. Beside the package; if npm installed the package, in the working directory, since the next installation
 * empties the package's folder.
 */
function dataFolder(story: StoryName): string {
  const folder = story === sandboxDefaults.story ? '.searchmill/postgres' : `.searchmill/postgres-${story}`;
  const beside = packagePath(folder);
  return beside.split(sep).includes('node_modules') ? resolve(folder) : beside;
}

type Demo = Readonly<{
  environment: Environment;
  story: StoryName;
  config: JobsConfig;
  databaseUrl: Secret;
  pool: Pool;
  startedAt: Date;
  isLeaving: boolean;
}>;

async function loadAndShow(terminal: Terminal, demo: Demo): Promise<number> {
  const { environment, story, config, databaseUrl, pool, startedAt, isLeaving } = demo;
  const log = openDemoLog(terminal, environment);
  const metrics = createMetrics(VERSION);
  let pages: Awaited<ReturnType<typeof startOpsServer>> | undefined;
  await using _instance = await startInstance({
    role: 'all',
    ...commonOptions({ environment, config, databaseUrl, pool, log }),
    observer: metrics.pipelineObserver,
    callObserver: metrics.callObserver,
    onOpen: async (opened) => {
      await noteEvents(pool, config, story);
      if (isLeaving) return;
      const shown = { instance: opened, metrics, log, databaseUrl, port: environment.opsPort };
      pages = await startOpsServer({ ...shown, host: '127.0.0.1', mayMoveUp: true });
      terminal.print(`  ${paintFor(terminal)('bold', pages.url)}  boards with charts: open it now, they fill up during the load\n`);
    },
  });
  await using ops = pages;
  const loads = await findLoadsSince(pool, startedAt);
  const jobs = config.jobs.map((job) => job.name).filter((name) => loads.some((load) => load.job === name));
  const progress = showProgress(terminal, jobs);
  const executions = loads.map((load) => load.id);
  const slices = await waitForLoads(pool, executions, {
    clock: systemClock,
    signal: terminal.stopping,
    onWait: (text) => progress.note(text),
    onPoll: (now) => progress.update(now),
  }).finally(() => progress.finish());
  await finishSummaries(terminal, pool, log);
  // Postgres analyzes new tables a minute later. Until then it would plan a user's first queries for empty tables.
  await pool.query('ANALYZE');
  if (slices.length > 0) terminal.print('');
  const nothing = describeNothing(config.jobs, slices.length > 0 ? [] : await readCoverage(pool), () => undefined, false);
  const isComplete = summarizeLoads(terminal, slices, [], nothing.text) && !nothing.hasHeld;
  await showTables(terminal, pool, startedAt);
  for (const [at, question] of DEMO_QUESTIONS.entries()) await showAnswer(terminal, pool, at + 1, question);
  if (ops) await stayUp(terminal, ops.url, databaseUrl);
  else terminal.print('Without --exit it would now stay up, for boards in a browser, psql, "searchmill status" and more.');
  return isComplete ? EXIT.done : EXIT.someFailed;
}

const newestWeekOf = (job: Job | undefined): IsoDate | undefined => job && expectBySchedule(job, systemClock.now())?.weeks.at(-1);

/** Notes as the company's people would add them with "searchmill note add", once. */
async function noteEvents(pool: Pool, { jobs: [job] }: JobsConfig, story: StoryName): Promise<void> {
  const newest = newestWeekOf(job);
  if (newest === undefined) return;
  const noted = await readAnnotations(pool, null);
  for (const { day, text } of knownEvents(story, weeksFromTo(addDays(newest, -7 * (WEEKS - 1)), newest))) {
    if (!noted.some((note) => note.kind === 'note' && note.day === day)) await addNote(pool, { accountId: null, day, text }, ACTOR);
  }
}

async function stayUp(terminal: Terminal, pages: string, databaseUrl: Secret): Promise<void> {
  const url = databaseUrl.reveal();
  terminal.print(`${paintFor(terminal)('bold', 'Look around')}

  ${pages}  boards with charts: begin at Home, it says what changed
  ${pages}/mcp  the same for an AI assistant (Model Context Protocol)
  psql '${url}'
    \\dPt+ search.*                         the tables
    SELECT * FROM searchmill.coverage;      which week is there, or why not
  DATABASE_URL='${url}' searchmill status
  ${pages}/readyz and ${pages}/metrics

It stays up, and loads the new week each Monday, until you press Ctrl-C.`);
  if (!terminal.stopping.aborted) await once(terminal.stopping, 'abort');
}

/** The shipped configuration, pointed at the sandbox of the address, from the oldest of WEEKS weeks up to the newest. */
function readDemoConfig(
  terminal: Terminal,
  environment: Environment,
  { url = `http://127.0.0.1:${DEFAULT_SANDBOX_PORT}`, newest }: Readonly<{ url?: string; newest?: IsoDate | undefined }>,
): JobsConfig {
  const variables = {
    ...terminal.env,
    // The file holds the sandbox's token; one of the environment is not sent to it.
    SEARCH_API_TOKEN: sandboxDefaults.credentials[0].token,
    SEARCH_API_URL: url,
    ...(newest && { SEARCHMILL_SINCE: addDays(newest, -7 * (WEEKS - 1)) }),
  };
  return readConfig(terminal, environment, variables);
}

function openDemoLog(terminal: Terminal, environment: Environment): Logger {
  return createLogger({ level: terminal.isInteractive ? 'silent' : environment.logLevel, format: 'plain' });
}

async function showTables(terminal: Terminal, pool: Pool, since: Date): Promise<void> {
  const summaries = await summarizeDatasets(pool, since);
  const rows = summaries.map(({ dataset, windows, rows: loaded, calls, seconds, rowsInTable }): Cell[] => {
    return [`search.${dataset}`, windows, loaded, calls, Math.round(seconds * 10) / 10, rowsInTable];
  });
  terminal.print(`\n${formatTable(['table', 'windows', 'rows', 'calls', 'seconds', 'stored'], rows)}\n`);
}

async function showAnswer(terminal: Terminal, pool: Pool, number: number, { title, sql }: DemoQuestion): Promise<void> {
  const paint = paintFor(terminal);
  const { rows, fields } = await pool.query<Record<string, unknown>>(sql);
  const header = fields.map(({ name }) => name);
  const cells = rows.map((row) => header.map((name): Cell => toCell(row[name])));
  const asked = sql.split('\n').map((line) => paint('dim', `   ${line}`));
  const answered = formatTable(header, cells)
    .split('\n')
    .map((line) => `   ${line}`);
  terminal.print(`${paint('bold', `${number}. ${title}`)}\n\n${asked.join('\n')}\n\n${answered.join('\n')}\n`);
}

function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : typeof value === 'number' ? value : String(value);
}
