// npm run bench: measures the promises of docs/performance.md on this machine, and reports whether the goals are met.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledError, describeError } from '../src/core/errors.ts';
import { boards, boardsOfTen } from './figures/boards.ts';
import { callRate } from './figures/call-rate.ts';
import { citus } from './figures/citus.ts';
import { endToEnd } from './figures/end-to-end.ts';
import { growth } from './figures/growth.ts';
import { idle } from './figures/idle.ts';
import { manyJobs } from './figures/many-jobs.ts';
import { manyProcesses } from './figures/many-processes.ts';
import { manyWorkers } from './figures/many-workers.ts';
import { memory } from './figures/memory.ts';
import { peers } from './figures/peers.ts';
import { planning } from './figures/planning.ts';
import { readers } from './figures/readers.ts';
import { reload } from './figures/reload.ts';
import { soak } from './figures/soak.ts';
import { summaries } from './figures/summaries.ts';
import { verification } from './figures/verification.ts';
import { type Options, readOptions } from './options.ts';
import { keepRun, publishRun } from './report/results-file.ts';
import type { Measured, Run } from './report/run.ts';
import { formatTable } from './report/table.ts';
import type { Bench, Mode } from './support/bench.ts';
import type { Figure, NamedFigure } from './support/figure.ts';
import { startGuard } from './support/guard.ts';
import { describeMachine, formatMachine } from './support/machine.ts';
import { openStealClock } from './support/resources.ts';
import { Scope } from './support/scope.ts';
import { openServers } from './support/servers.ts';

// After growth the disk is still busy with gigabytes, so planning, which takes milliseconds, comes before it.
const FIGURES: readonly NamedFigure[] = Object.entries({
  'end-to-end': endToEnd,
  'many-workers': manyWorkers,
  'call-rate': callRate,
  memory,
  reload,
  summaries,
  verification,
  planning,
  'many-jobs': manyJobs,
  'many-processes': manyProcesses,
  growth,
  boards,
  'boards-of-ten': boardsOfTen,
  readers,
  citus,
  idle,
  soak,
  peers,
} satisfies Record<string, Figure>).map(([name, figure]) => ({ name, ...figure }));
const INTERRUPTED_EXIT = 130;
/** As a share of the CPU. */
const MIN_REPORTED_SHARE = 0.01;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // After a second Ctrl-C, the guard ends what is left.
    if (stopping.signal.aborted) process.exit(INTERRUPTED_EXIT);
    console.error('Stopping: ending programs, dropping databases ...');
    stopping.abort();
  });
}

async function measureAll({ mode, figures, isWhole }: Extract<Options, { action: 'measure' }>): Promise<Run> {
  const started = new Date();
  const directory = mkdtempSync(join(tmpdir(), 'searchmill-bench-'));
  // The embedded Postgres may run as another user, who must be able to traverse the folder.
  chmodSync(directory, 0o711);
  const clusterDirectory = join(directory, 'postgres');
  const guard = startGuard(directory, clusterDirectory);
  const scope = new Scope();
  const log = (line: string): void => console.error(`${new Date().toTimeString().slice(0, 8)} ${line}`);
  try {
    log('starting servers');
    const servers = await openServers(clusterDirectory, scope);
    const bench = { mode, servers, directory, guard, signal: stopping.signal, log };
    const measured = new Map<NamedFigure, Measured>();
    for (const group of groupFigures(figures, mode, servers.redisUrl !== undefined)) {
      const found = await Promise.all(group.map((figure) => measureOne(figure, bench)));
      for (const [index, figure] of group.entries()) measured.set(figure, found[index] as Measured);
    }
    return {
      startedAt: started.toISOString(),
      seconds: Math.round((Date.now() - started.getTime()) / 1000),
      mode,
      isWhole,
      machine: describeMachine(servers.databaseVersion),
      measured: figures.flatMap((figure) => measured.get(figure) ?? []),
    };
  } finally {
    await scope.close().finally(() => {
      rmSync(directory, { recursive: true, force: true });
      guard.dismiss();
    });
  }
}

/** Light figures are measured concurrently, unless a shared Redis would count the commands of all. The others follow one by one. */
function groupFigures(figures: readonly NamedFigure[], mode: Mode, isRedisShared: boolean): NamedFigure[][] {
  const light = isRedisShared ? [] : figures.filter((figure) => figure.concurrentIn?.includes(mode));
  const alone = figures.filter((figure) => !light.includes(figure));
  return [...(light.length === 0 ? [] : [light]), ...alone.map((figure) => [figure])];
}

/** If a figure fails, the table shows the failure, and the others are still measured. Throws CancelledError on Ctrl-C. */
async function measureOne(figure: NamedFigure, bench: Omit<Bench, 'scope'>): Promise<Measured> {
  const { name, title } = figure;
  const scope = new Scope();
  const log = (line: string): void => bench.log(`${name}: ${line}`);
  log('begins');
  const stopped = new Promise<never>((_, reject) => {
    const refuse = (): void => reject(new CancelledError());
    if (bench.signal.aborted) refuse();
    else bench.signal.addEventListener('abort', refuse, { once: true });
  });
  const stolen = openStealClock();
  try {
    // On Ctrl-C its scope is closed at once, whatever it is waiting for.
    const findings = await Promise.race([figure.measure({ ...bench, scope, log }), stopped]);
    return { name, title, findings: { ...findings, notes: [...findings.notes, ...describeSteal(stolen?.() ?? 0)] } };
  } catch (error) {
    if (bench.signal.aborted) throw new CancelledError();
    log(`failed: ${describeError(error)}`);
    return { name, title, failure: describeError(error) };
  } finally {
    await scope.close().catch((error: unknown) => log(`could not clean up: ${describeError(error)}`));
  }
}

/** Stolen CPU slows down work on both cores more than work on one, so it changes the ratios. */
function describeSteal(share: number): string[] {
  return share < MIN_REPORTED_SHARE ? [] : [`the host took ${Math.round(100 * share)} % of the CPU`];
}

function report(run: Run): void {
  console.log(`\nSearchmill, ${run.mode} benchmark of ${run.startedAt.slice(0, 10)}, ${Math.round(run.seconds / 6) / 10} minutes`);
  console.log(`on ${formatMachine(run.machine)}`);
  if (run.mode === 'quick') console.log('Small sizes, to see that all is well: the goals are meant for the full benchmark.');
  console.log(formatTable(run.measured));
  console.log(`\nwritten to ${keepRun(run)}`);
}

try {
  const options = readOptions(process.argv.slice(2), FIGURES);
  if (options.action === 'help') console.log(options.text);
  else if (options.action === 'publish') console.log(`written: ${publishRun(options.paths).join(', ')}`);
  else {
    const run = await measureAll(options);
    report(run);
    if (run.measured.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
  }
} catch (error) {
  if (stopping.signal.aborted) process.exitCode = INTERRUPTED_EXIT;
  else {
    console.error(describeError(error));
    process.exitCode = 2;
  }
}
