// What must hold, whatever happened: the tables are what the sandbox served, the calls are explained, no limit was passed,
// and the ledger has no contradiction and no loose end.
import { isDeepStrictEqual } from 'node:util';
import type { Sandbox } from '../../sandbox/server.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { refreshWeek } from '../../src/reports/refresh.ts';
import type { ReportWeek } from '../../src/reports/summaries.ts';
import { findUnaskedErasures } from '../support/invariants.ts';
import { compareBags, type PublishedSlice, publishedAs, readPublishedSlices } from '../support/row-bags.ts';
import { findWrongWeeks } from '../support/wrong-weeks.ts';

export type Verdict = Readonly<{
  slices: number;
  rows: number;
  rowsLost: number;
  rowsDoubled: number;
  submits: number;
  unexplainedSubmits: number;
  callsOverTheLimit: number;
  /** Sentences about what does not hold; empty when all does. */
  complaints: readonly string[];
}>;

/** What the tables are compared with: what each execution was served, or what the service says now. */
export type Truth = (sandbox: Sandbox, slice: PublishedSlice) => string[];

/**
 * Everything at once, when the run has come to rest and every process has stopped. `pauses`: how often a process was paused for longer than its
 * lease; it keeps the connection of a page open, and the process that takes its load over may ask for the same page meanwhile.
 */
export async function judge(
  pool: Pool,
  sandbox: Sandbox,
  { limits, pauses }: Readonly<{ limits: Readonly<{ submit: number; read: number }>; pauses: number }>,
  truth: Truth,
): Promise<Verdict> {
  const complaints = [
    ...(await findContradictions(pool)),
    ...(await findLooseEnds(pool)),
    ...(await findUnaskedErasures(pool)),
    ...(await findAskedAnew(pool)),
  ];
  complaints.push(...(await findWrongReports(pool)));
  const slices = await readPublishedSlices(pool);
  let rowsLost = 0;
  let rowsDoubled = 0;
  let rows = 0;
  for (const slice of slices) {
    const served = truth(sandbox, slice);
    const { missing, surplus } = compareBags(served, await publishedAs(pool, slice));
    rows += served.length;
    rowsLost += missing.length;
    rowsDoubled += surplus.length;
    if (missing.length + surplus.length > 0)
      complaints.push(
        `${slice.job} ${slice.window}: ${missing.length} rows lost, ${surplus.length} too many, such as ${missing[0] ?? surplus[0]}`,
      );
  }
  const unexplained = await findUnexplainedSubmits(pool, sandbox);
  for (const submit of unexplained) complaints.push(`the ledger does not explain submit ${submit}`);
  const report = sandbox.report();
  const submits = report.submits.length;
  let callsOverTheLimit = 0;
  for (const [credential, peak] of Object.entries(report.peaks)) {
    for (const kind of ['submit', 'read'] as const) {
      const over = Math.max(0, peak[kind] - limits[kind]);
      callsOverTheLimit += over;
      if (over > 0) complaints.push(`${credential} made ${peak[kind]} ${kind} calls in 60 seconds, ${limits[kind]} are allowed`);
    }
  }
  if (report.violations.parallelPages > pauses) complaints.push(`the sandbox saw ${report.violations.parallelPages} parallelPages`);
  // Not outOfOrderPages: a load that goes on at its checkpoint goes back over the pages that were read ahead of it.
  for (const violation of ['foreignPageIds', 'earlyPages', 'foreignExecutions', 'staleSignatures', 'wrongCredentials'] as const) {
    if (report.violations[violation] > 0) complaints.push(`the sandbox saw ${report.violations[violation]} ${violation}`);
  }
  return {
    slices: slices.length,
    rows,
    rowsLost,
    rowsDoubled,
    submits,
    unexplainedSubmits: unexplained.length,
    callsOverTheLimit,
    complaints,
  };
}

/** What the summaries show otherwise than the tables give, and weeks of which they could not be made. */
async function findWrongReports(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ account: number; week: string }>(
    'SELECT DISTINCT account_id AS account, week FROM (TABLE search_stored.stored_weeks UNION ALL SELECT * FROM search_reports.weeks_in_tables()) AS known',
  );
  const findFailed = async () =>
    (
      await pool.query<ReportWeek & { error: string }>(
        'SELECT DISTINCT subject, account_id::text AS "accountId", week, error FROM searchmill.stale_weeks WHERE NOT is_live AND failures > 0',
      )
    ).rows;
  // What failed while the database was disrupted waits minutes for its next try, which is now.
  for (const week of await findFailed()) await refreshWeek(pool, week);
  const failed = await findFailed();
  const accounts = [...new Set(rows.map(({ account }) => account))];
  const wrong = await findWrongWeeks(pool, accounts, [...new Set(rows.map(({ week }) => week))]);
  return [
    ...failed.map(({ subject, week, error }) => `summaries could not be made: ${subject} ${week} ${error}`),
    ...wrong.map(
      ({ summary, week, shown, expected }) =>
        `${summary} of ${week} shows ${shown[0] ?? 'nothing'}, the tables give ${expected[0] ?? 'nothing'}`,
    ),
  ];
}

/**
 * A submit is explained by the execution that holds its id, or by one with the same question that began to submit before it
 * and does not know what became of that, ended or not; each such execution explains one.
 */
async function findUnexplainedSubmits(pool: Pool, sandbox: Sandbox): Promise<string[]> {
  const { rows: unknown } = await pool.query<{ dataset: string; request: unknown; startedAt: Date }>(
    `SELECT s.dataset, e.request, e.submit_started_at AS "startedAt" FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
      WHERE e.state IN ('abandoned', 'submitting') AND e.remote_execution_id IS NULL AND e.submit_started_at IS NOT NULL ORDER BY e.submit_started_at DESC`,
  );
  const { rows: known } = await pool.query<{ id: string }>(
    'SELECT remote_execution_id AS id FROM searchmill.executions WHERE remote_execution_id IS NOT NULL',
  );
  const held = new Set(known.map(({ id }) => id));
  const orphans = sandbox.report().submits.filter(({ executionId }) => !held.has(executionId));
  return orphans
    .filter(({ operation, body, at }) => {
      const match = unknown.findIndex(
        ({ dataset, request, startedAt }) => dataset === operation && isDeepStrictEqual(request, body) && startedAt <= new Date(at),
      );
      if (match !== -1) unknown.splice(match, 1);
      return match === -1;
    })
    .map(({ operation, body, at, executionId }) => `${executionId} of ${operation} at ${at}, ${JSON.stringify(body)}`);
}

/** True at every moment, also in the middle of a run: one statement sees one state of the database. Slices that are lacking are no contradiction. */
export async function findContradictions(pool: Pool, isLacking: (slice: string) => boolean = () => false): Promise<string[]> {
  const { rows: datasets } = await pool.query<{ dataset: string }>('SELECT DISTINCT dataset FROM searchmill.slices');
  const complaints: string[] = [];
  for (const { dataset } of datasets) {
    const { rows } = await pool.query<{ id: string; job: string; window: string; published: number; found: number }>(
      `SELECT s.id::text, s.job, s.window_start || '..' || s.window_end AS window, coalesce(s.published_rows, 0) AS published, coalesce(t.found, 0) AS found
         FROM searchmill.slices s LEFT JOIN (SELECT _slice, count(*) AS found FROM search.${dataset} GROUP BY _slice) t ON t._slice = s.id
        WHERE s.dataset = $1 AND coalesce(t.found, 0) <> coalesce(s.published_rows, 0)`,
      [dataset],
    );
    for (const row of rows.filter(({ id }) => !isLacking(id)))
      complaints.push(`${row.job} ${row.window} shows ${row.found} rows, ${row.published} are published`);
  }
  return complaints;
}

/** Weeks that were asked for under two names: no two jobs of a run load the same rows, so the second name asked anew. */
async function findAskedAnew(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ dataset: string; window: string; jobs: string }>(
    `SELECT dataset, window_start || '..' || window_end AS window, string_agg(job, ' and ' ORDER BY job) AS jobs FROM searchmill.slices
      GROUP BY dataset, account_id, window_start, window_end HAVING count(*) > 1`,
  );
  return rows.map(({ dataset, window, jobs }) => `${dataset} ${window} was asked for under the names ${jobs}`);
}

/** Weeks that are published as their job does not ask for them any more. */
export async function findOtherQuestions(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ job: string; window: string }>(
    `SELECT s.job, s.window_start || '..' || s.window_end AS window FROM searchmill.slices s JOIN searchmill.jobs j ON j.name = s.job
      WHERE s.published_filters_digest <> j.filters_digest`,
  );
  return rows.map(({ job, window }) => `${job} ${window} is published with other filters than its job has`);
}

async function findLooseEnds(pool: Pool): Promise<string[]> {
  const checks: readonly [string, string][] = [
    [
      'executions are live without a next step',
      `SELECT id FROM searchmill.executions WHERE ended_at IS NULL AND state <> 'held' AND due_at IS NULL`,
    ],
    [
      'executions ended badly without a reason',
      `SELECT id FROM searchmill.executions WHERE state IN ('failed', 'abandoned', 'discarded', 'cancelled') AND coalesce(end_reason, '') = ''`,
    ],
    [
      'executions were published with other rows than received',
      `SELECT id FROM searchmill.executions WHERE state = 'published' AND approved_at IS NULL AND (rows_received <> rows_staged + rows_quarantined OR rows_received <> coalesce(total_row_count, rows_received))`,
    ],
    [
      'published executions have no publication, or the other way round',
      `SELECT e.id FROM searchmill.executions e FULL JOIN searchmill.publications p ON p.execution_id = e.id WHERE (e.state = 'published') IS DISTINCT FROM (p.id IS NOT NULL)`,
    ],
    [
      'staging tables are left over',
      `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'searchmill_staging' AND c.relkind = 'r' AND NOT EXISTS (SELECT FROM searchmill.executions e WHERE e.ended_at IS NULL AND c.relname = 'execution_' || e.id)`,
    ],
    [
      'slices spent more accepted submits in a day than max_submits',
      `SELECT slice_id FROM searchmill.executions WHERE submitted_at IS NOT NULL AND state IN ('failed', 'abandoned') GROUP BY slice_id, max_submits HAVING count(*) > max_submits`,
    ],
  ];
  // Sweeps as the next process would: a killed process has left some behind.
  await pool.query('SELECT searchmill.sweep_staging(NULL, 1000)');
  const complaints: string[] = [];
  for (const [what, sql] of checks) {
    const { rowCount } = await pool.query(sql);
    if (rowCount) complaints.push(`${rowCount} ${what}`);
  }
  return complaints;
}
