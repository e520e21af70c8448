// What must hold, whatever happened: the tables are what the sandbox served, the calls are explained, no limit was passed,
// and the ledger has no contradiction and no loose end.
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { Pool } from '../../src/warehouse/pool.ts';
import { compareBags, publishedAs, readPublishedSlices, servedBy } from '../support/row-bags.ts';

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

/** Everything at once, when the run has come to rest. */
export async function judge(pool: Pool, sandbox: Sandbox, limits: Readonly<{ submit: number; read: number }>): Promise<Verdict> {
  const complaints = [...(await findContradictions(pool)), ...(await findLooseEnds(pool))];
  const slices = await readPublishedSlices(pool);
  let rowsLost = 0;
  let rowsDoubled = 0;
  let rows = 0;
  for (const slice of slices) {
    const served = servedBy(sandbox, slice);
    const { missing, surplus } = compareBags(served, await publishedAs(pool, slice));
    rows += served.length;
    rowsLost += missing.length;
    rowsDoubled += surplus.length;
    if (missing.length + surplus.length > 0)
      complaints.push(
        `${slice.job} ${slice.window}: ${missing.length} rows lost, ${surplus.length} too many, such as ${missing[0] ?? surplus[0]}`,
      );
  }
  const { unexplained, submits } = await countUnexplainedSubmits(pool, sandbox);
  if (unexplained > 0) complaints.push(`${unexplained} submits are not explained by the ledger`);
  const report = sandbox.report();
  let callsOverTheLimit = 0;
  for (const [credential, peak] of Object.entries(report.peaks)) {
    for (const kind of ['submit', 'read'] as const) {
      const over = Math.max(0, peak[kind] - limits[kind]);
      callsOverTheLimit += over;
      if (over > 0) complaints.push(`${credential} made ${peak[kind]} ${kind} calls in 60 seconds, ${limits[kind]} are allowed`);
    }
  }
  for (const violation of [
    'parallelPages',
    'outOfOrderPages',
    'foreignPageIds',
    'earlyPages',
    'foreignExecutions',
    'staleSignatures',
    'wrongCredentials',
  ] as const) {
    if (report.violations[violation] > 0) complaints.push(`the sandbox saw ${report.violations[violation]} ${violation}`);
  }
  return { slices: slices.length, rows, rowsLost, rowsDoubled, submits, unexplainedSubmits: unexplained, callsOverTheLimit, complaints };
}

/** A submit is explained by the execution that holds its id, or by one that ended not knowing what became of its submit. */
async function countUnexplainedSubmits(pool: Pool, sandbox: Sandbox): Promise<{ submits: number; unexplained: number }> {
  const { rows } = await pool.query<{ id: string | null; isUnknown: boolean }>(
    `SELECT remote_execution_id AS id, state = 'abandoned' AND submitted_at IS NULL AND submit_started_at IS NOT NULL AS "isUnknown" FROM searchmill.executions`,
  );
  const held = new Set(rows.map((row) => row.id));
  const unknown = rows.filter((row) => row.isUnknown).length;
  const { submits } = sandbox.report();
  const orphans = submits.filter((submit) => !held.has(submit.executionId)).length;
  return { submits: submits.length, unexplained: Math.max(0, orphans - unknown) };
}

/** True at every moment, also in the middle of a run: one statement sees one state of the database. */
export async function findContradictions(pool: Pool): Promise<string[]> {
  const { rows: datasets } = await pool.query<{ dataset: string }>('SELECT DISTINCT dataset FROM searchmill.slices');
  const complaints: string[] = [];
  for (const { dataset } of datasets) {
    const { rows } = await pool.query<{ job: string; window: string; published: number; found: number }>(
      `SELECT s.job, s.window_start || '..' || s.window_end AS window, coalesce(s.published_rows, 0) AS published, count(t._slice) AS found
         FROM searchmill.slices s LEFT JOIN search.${dataset} t ON t._slice = s.id
        WHERE s.dataset = $1 GROUP BY s.id HAVING count(t._slice) <> coalesce(s.published_rows, 0)`,
      [dataset],
    );
    for (const row of rows) complaints.push(`${row.job} ${row.window} shows ${row.found} rows, ${row.published} are published`);
  }
  return complaints;
}

async function findLooseEnds(pool: Pool): Promise<string[]> {
  const checks: readonly [string, string][] = [
    [
      'executions are live without a next look',
      `SELECT id FROM searchmill.executions WHERE ended_at IS NULL AND state <> 'held' AND due_at IS NULL`,
    ],
    [
      'executions ended badly without a reason',
      `SELECT id FROM searchmill.executions WHERE state IN ('failed', 'abandoned', 'discarded') AND coalesce(end_reason, '') = ''`,
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
  const complaints: string[] = [];
  for (const [what, sql] of checks) {
    const { rowCount } = await pool.query(sql);
    if (rowCount) complaints.push(`${rowCount} ${what}`);
  }
  return complaints;
}
