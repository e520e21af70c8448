// From HTTP to published rows with one worker process, compared with other tools. With several weeks, one is published while others are loaded; a
// single week is loaded and then published.
import { join } from 'node:path';
import { count } from '../../src/core/numbers.ts';
import type { IsoDate } from '../../src/core/weeks.ts';
import { loadWithPgloader, whyNoPgloader } from '../peers/pgloader.ts';
import { copyWithPsql, whyNoPsql } from '../peers/psql-copy.ts';
import { TABLE, writeLines } from '../peers/row-lines.ts';
import { loadByUpsert } from '../peers/upsert.ts';
import { type PageService, startPageService } from '../service/page-service.ts';
import type { Slice } from '../service/rows.ts';
import type { Bench } from '../support/bench.ts';
import { countRows, createDatabase, type Database } from '../support/database.ts';
import { atLeast, compare, type Figure, type Result } from '../support/figure.ts';
import { ACCOUNT, FIRST_WEEK, slicesOf, weeksFrom, writeJobs } from '../support/jobs.ts';
import { type LoadReport, measureLoads, rateOf, STAGES } from '../support/loads.ts';
import { median } from '../support/statistics.ts';

const PAGE_SIZE = 1000;
/**
 * Slow peers get fewer rows: from 100,000 (upsert) and 20,000 (pgloader) on, their rate hardly depends on the number. With 10,000 rows, pgloader's
 * start costs a fourth of its rate.
 */
const SIZES = {
  quick: { rows: 100_000, upsertRows: 20_000, pgloaderRows: 20_000, rounds: 1, warmsUp: false },
  full: { rows: 1_000_000, upsertRows: 100_000, pgloaderRows: 20_000, rounds: 3, warmsUp: true },
};
const WEEKS = weeksFrom(FIRST_WEEK, 4);
const SLICES = slicesOf([ACCOUNT], WEEKS);

type Peer = Readonly<{
  name: string;
  /** Minimum ratio of the whole load, and of a single week. */
  goals?: Readonly<{ whole: number; single: number }>;
  whyMissing: string | undefined;
  rows: number;
  /** Loads into an empty table. Returns the duration in seconds. */
  run: (database: Database) => Promise<number>;
}>;

export const endToEnd: Figure = {
  title: 'End to end: HTTP to published rows, one worker process',
  async measure(bench) {
    const { rows, rounds, warmsUp } = SIZES[bench.mode];
    const rowsPerQuery = rows / WEEKS.length;
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery, pageSize: PAGE_SIZE, prepared: SLICES });
    const peers = await openPeers(bench, service);
    const found = peers.filter(({ whyMissing }) => whyMissing === undefined);
    const loads: LoadReport[] = [];
    const single: LoadReport[] = [];
    const rates = new Map<Peer, number[]>(found.map((peer) => [peer, []]));
    // A new server creates its log files and touches its memory, which would slow down the first measurement.
    if (warmsUp) {
      bench.log('a round that is not counted');
      await measureOurs(bench, service, WEEKS, rows);
      if (found[0]) await measurePeer(bench, found[0]);
    }
    for (let round = 1; round <= rounds; round += 1) {
      bench.log(`round ${round} of ${rounds}`);
      loads.push(await measureOurs(bench, service, WEEKS, rows));
      single.push(await measureOurs(bench, service, WEEKS.slice(0, 1), rowsPerQuery));
      for (const [peer, list] of rates) list.push(await measurePeer(bench, peer));
    }
    const compareWith = (what: string, ours: readonly LoadReport[], peer: Peer, goal: number | undefined): Result =>
      compare(`${what}, against ${peer.name}`, 'rows/s', {
        ours: ours.map(rateOf),
        peer: peer.name,
        theirs: rates.get(peer) ?? [],
        ...(goal === undefined ? {} : { judge: (ratio: number) => atLeast(ratio, goal, ' x') }),
      });
    return {
      results: [
        ...found.map((peer) => compareWith('rows published', loads, peer, peer.goals?.whole)),
        ...found.flatMap((peer) => (peer.goals ? [compareWith('rows of a single week', single, peer, peer.goals.single)] : [])),
        ...STAGES.map(
          (stage): Result => ({
            figure: `stage: ${stage}`,
            ours: median(loads.map((load) => (load.stageMs[stage] / load.rows) * 1000)),
            unit: 'ms per 1,000 rows',
          }),
        ),
      ],
      notes: [
        `${rows.toLocaleString('en-US')} rows, ${WEEKS.length} weeks of one job, in pages of ${PAGE_SIZE.toLocaleString('en-US')}, ${count(rounds, 'round')}${warmsUp ? ' after one that is not counted' : ''}, each with an empty database: ours, then every peer; medians, and the median of the ratios of neighbours`,
        `ours took ${median(loads.map((load) => (load.seconds / load.rows) * 1e6)).toFixed(1)} ms per 1,000 rows; network, decoding and copying overlap`,
        describeShares(loads),
        ...peers.flatMap((peer) => (peer.whyMissing === undefined ? [] : [`${peer.name} was not measured: ${peer.whyMissing}`])),
      ],
    };
  },
};

async function openPeers(bench: Bench, service: PageService): Promise<Peer[]> {
  const { rows, upsertRows, pgloaderRows } = SIZES[bench.mode];
  const whyMissing = { psql: whyNoPsql(), pgloader: whyNoPgloader() };
  const [lines, fewLines] = [join(bench.directory, 'rows.tsv'), join(bench.directory, 'few-rows.tsv')];
  if (whyMissing.psql === undefined) await writeLines(lines, SLICES, { rows: rows / SLICES.length, pageSize: PAGE_SIZE });
  if (whyMissing.pgloader === undefined) await writeLines(fewLines, SLICES.slice(0, 1), { rows: pgloaderRows, pageSize: PAGE_SIZE });
  return [
    {
      name: 'psql \\copy of a file',
      goals: { whole: 1, single: 0.5 },
      whyMissing: whyMissing.psql,
      rows,
      run: (database) => copyWithPsql(bench, database, lines),
    },
    {
      name: 'hand-written upsert per page',
      goals: { whole: 4, single: 3 },
      whyMissing: undefined,
      rows: upsertRows,
      run: (database) =>
        loadByUpsert(bench, database, service, { slice: SLICES[0] as Slice, pageSize: PAGE_SIZE, pages: upsertRows / PAGE_SIZE }),
    },
    {
      name: 'pgloader of a file',
      whyMissing: whyMissing.pgloader,
      rows: pgloaderRows,
      run: (database) => loadWithPgloader(bench, database, fewLines),
    },
  ];
}

async function measureOurs(bench: Bench, service: PageService, weeks: readonly IsoDate[], rows: number): Promise<LoadReport> {
  const database = await createDatabase(bench);
  const jobs = writeJobs(bench, { baseUrl: service.baseUrl, pageSize: PAGE_SIZE });
  const report = await measureLoads(bench, { database, service, jobs, weeks });
  await requireRows(database, rows);
  await database.drop();
  return report;
}

/** Rows per second into an empty database. */
async function measurePeer(bench: Bench, { rows, run }: Peer): Promise<number> {
  const database = await createDatabase(bench);
  await database.pool.query(`SELECT searchmill.ensure_partition('keyword_rankings', date_trunc('month', $1::date)::date)`, [FIRST_WEEK]);
  const seconds = await run(database);
  await requireRows(database, rows);
  await database.drop();
  return rows / seconds;
}

/** Throws unless all rows have arrived. */
async function requireRows(database: Database, rows: number): Promise<void> {
  const found = await countRows(database, TABLE);
  if (found !== rows) throw new Error(`${found} rows are in ${TABLE}, expected ${rows}`);
}

function describeShares(loads: readonly LoadReport[]): string {
  const share = (of: (load: LoadReport) => number | undefined): string => {
    const shares = loads.flatMap((load) => {
      const seconds = of(load);
      return seconds === undefined ? [] : [seconds / load.seconds];
    });
    return shares.length === 0 ? 'an unknown share' : `${Math.round(median(shares) * 100)} %`;
  };
  return `CPU, in shares of one core: worker ${share((load) => load.cpuSeconds.workers)} (its start included), Postgres ${share((load) => load.cpuSeconds.postgres)}, page server ${share((load) => load.cpuSeconds.service)}`;
}
