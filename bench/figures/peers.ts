// Ours against loaders that an engineer would take instead: dlt, Singer and PyAirbyte, each with a connector of its own against the same sandbox. How fast they
// are, what they cost, and what they do when a limit is shared, a process is killed, or the service answers differently.
import type { CallReport } from '../../sandbox/protocol/observations.ts';
import { addDays, daysBetween, type IsoDate } from '../../src/core/weeks.ts';
import { installPeers, OURS, type Tool } from '../peers/connector-tools.ts';
import { beginTrial, type RowsByWeek, type Trial } from '../peers/trial.ts';
import type { Bench, Mode } from '../support/bench.ts';
import type { Figure, Result } from '../support/figure.ts';
import { MEGABYTE } from '../support/resources.ts';
import { median, medianRatio } from '../support/statistics.ts';
import { pause } from '../support/waiting.ts';

const SIZES: Readonly<Record<Mode, Readonly<{ weeks: number; rounds: number }>>> = {
  quick: { weeks: 4, rounds: 1 },
  full: { weeks: 12, rounds: 3 },
};
const SIZE = 'small';
/** Two processes with one credential, which both know the limit. */
const LIMIT = { submits: 15, weeks: 24, seconds: 40 };
const LOOK_EVERY_MS = 50;

type Speed = Readonly<{ rowsPerSecond: number; toolCpu: number; postgresCpu: number; megabytes: number }>;
type Behaviour = Readonly<{
  overLimit: number;
  spentTwice: number;
  wrongRows: number;
  halfWeeks: number;
  collapsed: number;
  vanished: number;
  withoutColumn: Readonly<{ rows: number; lacking: number }>;
}>;

export const peers: Figure = {
  title: 'Against other loaders, each with a connector against the sandbox',
  isOptIn: true,
  async measure(bench) {
    const { tools, missing } = installPeers(bench.log);
    const all = [OURS, ...tools];
    const { weeks, rounds } = SIZES[bench.mode];
    const speeds = new Map<Tool, Speed[]>(all.map((tool) => [tool, []]));
    for (let round = 1; round <= rounds; round += 1) {
      for (const [tool, list] of speeds) {
        bench.log(`round ${round} of ${rounds}: ${tool.name}`);
        list.push(await measureSpeed(bench, tool));
      }
    }
    const behaviours = new Map<Tool, Behaviour>();
    for (const tool of all) {
      bench.log(`limits, kills and odd answers: ${tool.name}`);
      behaviours.set(tool, await observe(bench, tool));
    }
    const speedOf = (tool: Tool, what: keyof Speed): number[] => (speeds.get(tool) ?? []).map((speed) => speed[what]);
    const compareSpeed = (figure: string, unit: string, what: keyof Speed): Result[] =>
      against(tools, figure, (tool) => ({
        ...{ ours: median(speedOf(OURS, what)), unit, peer: { name: tool.name, value: median(speedOf(tool, what)) } },
        ratio: medianRatio(speedOf(OURS, what), speedOf(tool, what)),
      }));
    const compareBehaviour = (figure: string, unit: string, of: (behaviour: Behaviour) => number): Result[] =>
      against(tools, figure, (tool) => ({
        ...{ ours: of(behaviours.get(OURS) as Behaviour), unit },
        peer: { name: tool.name, value: of(behaviours.get(tool) as Behaviour) },
      }));
    return {
      results: [
        ...compareSpeed('rows a second', 'rows/s', 'rowsPerSecond'),
        ...compareSpeed('CPU of the tool', 's per million rows', 'toolCpu'),
        ...compareSpeed('CPU of Postgres', 's per million rows', 'postgresCpu'),
        ...compareSpeed('most memory', 'MB', 'megabytes'),
        ...compareBehaviour('submits above the limit, two processes', '', ({ overLimit }) => overLimit),
        ...compareBehaviour('submits spent twice after kill -9', '', ({ spentTwice }) => spentTwice),
        ...compareBehaviour('rows lost or doubled after kill -9', 'rows', ({ wrongRows }) => wrongRows),
        ...compareBehaviour('weeks seen half loaded', '', ({ halfWeeks }) => halfWeeks),
        ...compareBehaviour('rows kept when a week collapses to a tenth', '%', ({ collapsed }) => collapsed),
        ...compareBehaviour('rows kept that the service has no more', '%', ({ vanished }) => vanished),
        ...compareBehaviour('rows of a week whose column device is missing', '%', ({ withoutColumn }) => withoutColumn.rows),
        ...compareBehaviour('of these without a device', '%', ({ withoutColumn }) => withoutColumn.lacking),
      ],
      notes: [
        `${weeks} weeks of keyword_rankings, about 5,000 rows each, from the sandbox, which shares the machine; ${rounds === 1 ? '1 round' : `medians of ${rounds} rounds, each with an empty database and ours first`}`,
        'rows a second from the first submit to the end of the process; CPU and memory of all processes of a tool, its start included, which weighs much on so few rows: the figures of one run are ratios, not what a machine of its own gives',
        ...all.map((tool) => `${tool.name}: ${spread(speedOf(tool, 'rowsPerSecond'))} rows/s over the rounds`),
        `limit: ${LIMIT.submits} submits a minute, two processes with one credential, each with half of ${LIMIT.weeks} weeks and the limit in its own code, watched for ${LIMIT.seconds} s`,
        'kill -9 in the middle of the submits, then the same command to its end; half weeks as another session sees them every 50 ms, before and after',
        'the week is loaded again after each odd answer: a tenth of its rows; 5 % of its rows gone; the answer without the column device. Ours holds a week for a person where its rows collapse or a column is missing',
        ...missing,
      ],
    };
  },
};

function against(tools: readonly Tool[], figure: string, of: (tool: Tool) => Omit<Result, 'figure'>): Result[] {
  return tools.map((tool) => ({ figure: `${figure}, against ${tool.name}`, ...of(tool) }));
}

function spread(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => Math.round(value).toLocaleString('en-US'));
  return least === most ? String(least) : `${least} to ${most}`;
}

const total = (rows: RowsByWeek): number => [...rows.values()].reduce((sum, count) => sum + count, 0);

async function measureSpeed(bench: Bench, tool: Tool): Promise<Speed> {
  const { weeks } = SIZES[bench.mode];
  const trial = await beginTrial(bench, tool, { weeks, size: SIZE });
  const before = trial.postgresCpu?.() ?? Number.NaN;
  const { cpuSeconds, peakBytes } = await trial.run();
  const endedAt = Date.now();
  const millions = total(await trial.rows()) / 1e6;
  const postgres = (trial.postgresCpu?.() ?? Number.NaN) - before;
  const { submits } = await trial.report();
  if (new Set((await trial.rows()).keys()).size !== weeks) throw new Error(`${tool.name} did not load ${weeks} weeks`);
  await trial.end();
  const seconds = (endedAt - Date.parse(submits[0]?.at ?? '')) / 1000;
  return {
    rowsPerSecond: (millions * 1e6) / seconds,
    toolCpu: cpuSeconds / millions,
    postgresCpu: postgres / millions,
    megabytes: peakBytes / MEGABYTE,
  };
}

async function observe(bench: Bench, tool: Tool): Promise<Behaviour> {
  const overLimit = await observeLimit(bench, tool);
  return { overLimit, ...(await observeKill(bench, tool)), ...(await observeAnswers(bench, tool)) };
}

/** The most submits in 60 s above the limit, those that were refused included. */
async function observeLimit(bench: Bench, tool: Tool): Promise<number> {
  const { submits, weeks, seconds } = LIMIT;
  const trial = await beginTrial(bench, tool, { weeks, size: 'tiny', submitsPerMinute: submits });
  const half = weeks / 2;
  // Of its own databases and files, as two deployments have; ours are two processes of one.
  const groups = [trial.start({ weeks: half })];
  const other = tool === OURS ? undefined : await beginTrial(bench, tool, { weeks: 1, size: 'tiny' });
  const apart = other ? { databaseUrl: other.database.url.reveal(), folder: other.folder } : {};
  groups.push(trial.start({ ...apart, first: addDays(trial.first, 7 * half), weeks: half }));
  await Promise.race([Promise.all(groups.map(({ ended }) => ended)), pause(1000 * seconds, bench.signal)]);
  const { peaks } = await trial.report();
  for (const group of groups) group.kill();
  await Promise.all(groups.map(({ ended }) => ended));
  await Promise.all([trial.end(), other?.end()]);
  return Math.max(0, Math.max(...Object.values(peaks).map(({ submit }) => submit)) - submits);
}

async function observeKill(bench: Bench, tool: Tool): Promise<Pick<Behaviour, 'spentTwice' | 'wrongRows' | 'halfWeeks'>> {
  const { weeks } = SIZES[bench.mode];
  const trial = await beginTrial(bench, tool, { weeks, size: SIZE, queryMs: 500 });
  const seen = new Map<string, Set<number>>();
  const look = async (): Promise<void> => {
    for (const [week, rows] of await trial.rows()) seen.set(week, (seen.get(week) ?? new Set()).add(rows));
  };
  const first = trial.start();
  while (weeksOf((await trial.report()).submits) < weeks / 2) {
    await look();
    await pause(LOOK_EVERY_MS, bench.signal);
  }
  first.kill();
  await first.ended;
  const second = trial.start();
  let isRunning = true;
  const ended = second.ended.finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    await look();
    await pause(LOOK_EVERY_MS, bench.signal);
  }
  const { code, output } = await ended;
  if (code !== 0) throw new Error(`${tool.name} ended with ${code} after a kill: ${output}`);
  const rows = await trial.rows();
  const expected = await expectedRows(bench, weeks);
  const { submits } = await trial.report();
  await trial.end();
  const wrongRows = [...expected].reduce((sum, [week, count]) => sum + Math.abs(count - (rows.get(week) ?? 0)), 0);
  const halfWeeks = [...seen].filter(([week, counts]) => [...counts].some((count) => count > 0 && count !== expected.get(week))).length;
  return { spentTwice: submits.length - new Set(submits.map(({ body }) => JSON.stringify(body))).size, wrongRows, halfWeeks };
}

/** As ours has published them, which an audit has compared with the service's count. */
let known: RowsByWeek | undefined;
async function expectedRows(bench: Bench, weeks: number): Promise<RowsByWeek> {
  if (known) return known;
  const trial = await beginTrial(bench, OURS, { weeks, size: SIZE });
  await trial.run();
  known = await trial.rows();
  await trial.end();
  return known;
}

/** How many weeks queries ask for: ours may ask for several in one. */
function weeksOf(submits: CallReport['submits']): number {
  return submits.reduce((weeks, { body }) => {
    const { start_date: from, end_date: to } = body as Readonly<{ start_date: IsoDate; end_date: IsoDate }>;
    return weeks + Math.round((daysBetween(from, to) + 1) / 7);
  }, 0);
}

async function observeAnswers(bench: Bench, tool: Tool): Promise<Pick<Behaviour, 'collapsed' | 'vanished' | 'withoutColumn'>> {
  const again = async (fault: object, look: (trial: Trial, before: number) => Promise<number>): Promise<number> => {
    const trial = await beginTrial(bench, tool, { weeks: 1, size: SIZE });
    await trial.run();
    const before = total(await trial.rows());
    await trial.setFaults(fault);
    await trial.run({ reloads: true });
    const found = await look(trial, before);
    await trial.end();
    return found;
  };
  const percentLeft = async (trial: Trial, before: number): Promise<number> => (100 * total(await trial.rows())) / before;
  let lacking = 0;
  return {
    collapsed: await again({ kind: 'shrink', keep: 0.1 }, percentLeft),
    // Of the rows that went; nothing else is restated.
    vanished: await again({ kind: 'restate', share: 0, vanish: 0.05 }, async (trial, before) => {
      const left = total(await trial.rows());
      return (100 * (left - 0.95 * before)) / (0.05 * before);
    }),
    withoutColumn: {
      rows: await again({ kind: 'drift', change: 'missing_column', column: 'device' }, async (trial, before) => {
        lacking = (100 * (await trial.count("count(*) FILTER (WHERE device IS NULL OR device = '')"))) / total(await trial.rows());
        return percentLeft(trial, before);
      }),
      lacking,
    },
  };
}
