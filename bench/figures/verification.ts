// The cost of knowing that the tables are as published: the digest computed by publishing, the rounds in which a service counts all rows, and
// "verify --deep", which reads them.

import { HOUR } from '../../src/core/clock.ts';
import { count } from '../../src/core/numbers.ts';
import { windowOfWeeks } from '../../src/core/weeks.ts';
import { datasetNamed } from '../../src/datasets/index.ts';
import { executeTemplate, template } from '../../src/postgres/statements.ts';
import { rowDigest } from '../../src/tables/published-periods.ts';
import { verifyTables } from '../../src/tables/verification.ts';
import { VERIFIED_AGES, verifyDue } from '../../src/tables/verification-rounds.ts';
import { TABLE } from '../peers/row-lines.ts';
import { startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { countRows, createDatabase, type Database, openServerClock, settle } from '../support/database.ts';
import { atMost, compare, type Figure } from '../support/figure.ts';
import { ACCOUNT, FIRST_WEEK, weeksFrom, writeJobs } from '../support/jobs.ts';
import { measureLoads } from '../support/loads.ts';
import { median } from '../support/statistics.ts';

const SIZES = { quick: { rows: 20_000, weeks: 4, rounds: 3 }, full: { rows: 50_000, weeks: 20, rounds: 3 } };
/** Weeks whose content is compared. */
const DEEP_WEEKS = 4;
/** A year of weeks, for which the share of a core is extrapolated: a statement counts one week, so its cost depends on the rows. */
const LARGE = { rows: 50_000_000, weeks: 52 };
/** Weeks that are counted again within the hour. */
const NEWEST_WEEKS = 2;
const DEEP_END = windowOfWeeks(FIRST_WEEK, DEEP_WEEKS).end;
const MAX_SHARE_OF_CORE = 1;
const DATASET = datasetNamed('keyword_rankings');

export const verification: Figure = {
  title: 'Verification: the digest of a publication, counting all rows, comparing their content',
  async measure(bench) {
    const { rows, weeks, rounds } = SIZES[bench.mode];
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000 });
    const database = await createDatabase(bench);
    const jobs = writeJobs(bench, { baseUrl: service.baseUrl });
    await measureLoads(bench, { database, service, jobs, weeks: weeksFrom(FIRST_WEEK, weeks) });
    const tableRows = await countRows(database, TABLE);
    // The state in which autovacuum leaves it.
    await database.pool.query(`VACUUM (ANALYZE) ${TABLE}`);
    await settle(database.pool);

    const audits = { ours: [] as number[], plain: [] as number[] };
    const digest = rowDigest(DATASET, 's');
    const passes = { deep: [] as number[], counting: [] as number[], cpu: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      bench.log(`round ${round + 1} of ${rounds}`);
      audits.ours.push(await timeOf(() => audit(database, digest)));
      audits.plain.push(await timeOf(() => audit(database, '0')));
      passes.counting.push(await timeOf(() => verify(bench, database, false)));
      passes.deep.push(await timeOf(() => verify(bench, database, true)));
      passes.cpu.push(await countAll(bench, database));
    }
    const cpuPerRow = median(passes.cpu) / tableRows;
    const newestRows = (LARGE.rows / LARGE.weeks) * NEWEST_WEEKS * ((24 * HOUR) / VERIFIED_AGES.newestAgeMs);
    const shareOfCore = (100 * cpuPerRow * (LARGE.rows + newestRows)) / (24 * 60 * 60);
    return {
      results: [
        compare('audit of a month that is staged, with the digest', 's', { ours: audits.ours, peer: 'without', theirs: audits.plain }),
        compare(`verify --deep of ${DEEP_WEEKS} weeks`, 's', { ours: passes.deep, peer: 'counting them', theirs: passes.counting }),
        { figure: 'rounds that count all rows, CPU of Postgres', ours: cpuPerRow * 1e6, unit: 's per million rows' },
        {
          figure: 'rounds of a day, 50 million rows of 52 weeks, worked out',
          ours: shareOfCore,
          unit: '% of a core',
          ...atMost(shareOfCore, MAX_SHARE_OF_CORE, ' %'),
        },
      ],
      notes: [
        `${tableRows.toLocaleString('en-US')} rows of keyword_rankings, ${count(weeks, 'week')}; ${count(rounds, 'round')}, medians`,
        `50 million rows were not measured: ${await describePlan(database)}, so that its cost is that of the week's rows; all once a day, the newest ${NEWEST_WEEKS} weeks every ${VERIFIED_AGES.newestAgeMs / 60_000} minutes`,
      ],
    };
  },
};

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Runs the audit's statement on a month of the table instead of a staging table, which has the same columns. */
async function audit({ pool }: Database, digest: string): Promise<void> {
  const staging = `search_partitions.keyword_rankings_${FIRST_WEEK.slice(0, 7).replace('-', '_')}`;
  await executeTemplate(
    pool,
    'staging/audit',
    { staging, digest },
    {
      accountId: ACCOUNT,
      maxPeriods: 1_000,
      windowStart: FIRST_WEEK,
      windowEnd: FIRST_WEEK,
      periodDays: null,
    },
  );
}

async function verify(bench: Bench, { pool }: Database, isDeep: boolean): Promise<void> {
  const { differences } = await verifyTables(
    pool,
    { from: FIRST_WEEK, to: DEEP_END },
    { isDeep, signal: bench.signal, onPlace: () => undefined },
  );
  if (differences.length > 0) throw new Error(`the tables are not as published: ${JSON.stringify(differences[0])}`);
}

/** CPU seconds of the server for the rounds that count every row once; wall-clock time if the server runs elsewhere. */
async function countAll(bench: Bench, database: Database): Promise<number> {
  await database.pool.query("UPDATE searchmill.published_periods SET checked_at = '-infinity'");
  const clock = (await openServerClock(bench, database)) ?? ((): number => performance.now() / 1000);
  const before = clock();
  while ((await verifyDue(database.pool, bench.signal)) > 0);
  return clock() - before;
}

/** Describes how a week is counted. Throws when more than its partition, or more than the key, is read. */
async function describePlan({ pool }: Database): Promise<string> {
  const place = { dataset: DATASET.name, accountId: ACCOUNT, from: FIRST_WEEK, to: FIRST_WEEK };
  const { text, values } = template('periods/find-unlike', { table: TABLE }, place);
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS off) ${text}`, values);
  const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => / on (?:search_partitions\.)?keyword_rankings_/.test(line));
  const [scan = ''] = scans;
  if (scans.length !== 1 || !scan.includes('Index Only Scan'))
    throw new Error(`a week is not counted by its key alone: ${scans.join('; ')}`);
  return `a week is counted by an index-only scan of the partition of its month`;
}
