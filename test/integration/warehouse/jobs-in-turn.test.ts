// Jobs over the same rows, which the configuration refuses: they meet where one of them was removed, or renamed with other
// filters. Whatever they load or replay, and in whatever order, all rows of a key are from one load, the last that had it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { replayQuarantine } from '../../../src/publishing/quarantine.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

const ranked = (job: Job, query: string, rank: string): unknown[] => wireRow(job, { query, rank_true: rank });
const keptRows = async (job: Job): Promise<string[]> =>
  (await publishedRows(ledger.pool, job, ['query', '_occurrence', 'rank_true'])).map((row) => Object.values(row).join(' '));
const two = (): [Job, Job] => {
  const one = jobOf();
  return [one, jobOf({ accountId: one.accountId, filtersDigest: 'other' })];
};

it('a key keeps no row of a job that was removed', async () => {
  const [removed, added] = two();
  await loadWindow(ledger.pool, removed, [ranked(removed, 'a', '3'), ranked(removed, 'a', '57'), ranked(removed, 'b', '1')]);
  const counts = await loadWindow(ledger.pool, added, [ranked(added, 'a', '57')]);
  expect(counts).toEqual({ inserted: 0, updated: 1, unchanged: 0, deleted: 1 });
  expect(await keptRows(added)).toEqual(['a 1 57', 'b 1 1']);
  // If the first job comes back, its rows do, too.
  const again = await loadWindow(ledger.pool, removed, [ranked(removed, 'a', '3'), ranked(removed, 'a', '57')]);
  expect(again).toEqual({ inserted: 1, updated: 1, unchanged: 0, deleted: 1 });
  expect(await keptRows(added)).toEqual(['a 1 3', 'a 2 57']);
});

it('a row that two jobs have with the same values stays until the load that was last no longer has it', async () => {
  const [first, second] = two();
  await loadWindow(ledger.pool, first, [ranked(first, 'a', '3')]);
  expect(await loadWindow(ledger.pool, second, [ranked(second, 'a', '3')])).toEqual({ inserted: 0, updated: 0, unchanged: 1, deleted: 0 });
  expect(await loadWindow(ledger.pool, first, [])).toMatchObject({ deleted: 0 });
  expect(await keptRows(first)).toEqual(['a 1 3']);
  expect(await loadWindow(ledger.pool, second, [])).toMatchObject({ deleted: 1 });
});

it('replayed rows replace all rows of their keys that another job has', async () => {
  const [first, second] = two();
  const { pool } = ledger;
  const execution = await stageWindow(pool, first, [[ranked(first, 'a', 'later'), ranked(first, 'b', '1')]]);
  await publish(pool, first, execution);
  await loadWindow(pool, second, [ranked(second, 'a', '3'), ranked(second, 'a', '57')]);
  await understand(execution.id);
  expect(await replayQuarantine(pool, execution.id)).toMatchObject({ replayed: 1 });
  expect(await keptRows(first)).toEqual(['a 1 57', 'b 1 1']);
  const { rows } = await pool.query(
    `SELECT rows_inserted AS inserted, rows_updated AS updated, rows_unchanged AS unchanged, rows_deleted AS deleted
       FROM searchmill.publications WHERE execution_id = $1`,
    [execution.id],
  );
  expect(rows).toEqual([{ inserted: 1, updated: 1, unchanged: 0, deleted: 1 }]);
});

/** What a release that understands `later` would have found. */
async function understand(executionId: number): Promise<void> {
  const sql = `UPDATE searchmill.quarantined_rows SET raw = replace(raw, '"later"', '"57"') WHERE execution_id = $1`;
  await ledger.pool.query(sql, [executionId]);
}

type Row = Readonly<{ query: string; rank: string }>;
type Step = Readonly<{ job: number; action: 'replay' } | { job: number; action: 'load'; rows: readonly Row[] }>;
type Kept = Readonly<{ owner: string; ranks: readonly string[] }>;

const job = fc.nat({ max: 2 });
const row = fc.record({ query: fc.constantFrom('a', 'b', 'c'), rank: fc.constantFrom('1', '2', '3', 'later') });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ job, action: fc.constant('load' as const), rows: fc.array(row, { maxLength: 6 }) }) },
    { weight: 1, arbitrary: fc.record({ job, action: fc.constant('replay' as const) }) },
  ),
  { minLength: 3, maxLength: 8 },
);

/** What the table has to hold: of each key the rows of one load. */
class Expected {
  readonly keys = new Map<string, Kept>();
  /** Of each job, its published execution, how many of its rows decoded, and those in quarantine. */
  readonly loads = new Map<string, { id: number; decoded: number; rejected: readonly Row[] }>();

  load(name: string, id: number, rows: readonly Row[]): void {
    for (const [query, { owner }] of this.keys) if (owner === name) this.keys.delete(query);
    const decoded = rows.filter(({ rank }) => rank !== 'later');
    for (const [query, ranks] of ranksByQuery(decoded)) this.keys.set(query, { owner: name, ranks });
    this.loads.set(name, { id, decoded: decoded.length, rejected: rows.filter(({ rank }) => rank === 'later') });
  }

  /** Whether it is known that other jobs have none of the rows of the job's load but those in quarantine. */
  canReplay(name: string): boolean {
    const { decoded = 0, rejected = [] } = this.loads.get(name) ?? {};
    const own = [...this.keys.values()].filter(({ owner }) => owner === name).flatMap(({ ranks }) => ranks);
    return own.length === decoded || rejected.every(({ query }) => (this.keys.get(query)?.owner ?? name) === name);
  }

  replay(name: string): void {
    const load = this.loads.get(name);
    if (!load) return;
    for (const [query, added] of ranksByQuery(load.rejected.map((rejected) => ({ ...rejected, rank: '57' })))) {
      const before = this.keys.get(query);
      this.keys.set(query, { owner: name, ranks: before?.owner === name ? [...before.ranks, ...added] : added });
    }
    this.loads.set(name, { ...load, decoded: load.decoded + load.rejected.length, rejected: [] });
  }

  get rows(): string[] {
    return inOrder([...this.keys].flatMap(([query, { owner, ranks }]) => ranks.map((rank) => `${owner} ${query} ${rank}`)));
  }
}

function ranksByQuery(rows: readonly Row[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { query, rank } of rows) found.set(query, [...(found.get(query) ?? []), rank]);
  return found;
}

const inOrder = (rows: readonly string[]): string[] => rows.toSorted((a, b) => (a < b ? -1 : 1));

/** Rows of the account, each with the job whose load it is from. */
async function storedRows({ accountId }: Job): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ row: string }>(
    `SELECT concat_ws(' ', o.job, t.query, t.rank_true) AS row
       FROM search.keyword_rankings t JOIN searchmill.slices o ON o.id = t._slice WHERE t.account_id = $1`,
    [accountId],
  );
  return inOrder(rows.map((each) => each.row));
}

it('after any loads and replays of several jobs, the rows of a key are those of the last load that had it', async () => {
  const { pool } = ledger;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const first = jobOf();
      const jobs = [first, ...['second', 'third'].map((filtersDigest) => jobOf({ accountId: first.accountId, filtersDigest }))];
      const expected = new Expected();
      for (const step of all) {
        const loading = jobs[step.job] ?? first;
        const before = await storedRows(first);
        if (step.action === 'load') {
          const wire = step.rows.map(({ query, rank }) => ranked(loading, query, rank));
          const execution = await stageWindow(pool, loading, [wire]);
          const counts = await publish(pool, loading, execution);
          expected.load(loading.name, execution.id, step.rows);
          expect(counts.inserted + counts.updated + counts.unchanged).toBe(expected.loads.get(loading.name)?.decoded);
          expect(before.length + counts.inserted - counts.deleted).toBe(expected.rows.length);
        } else {
          const load = expected.loads.get(loading.name);
          if (!load) continue;
          await understand(load.id);
          if (expected.canReplay(loading.name)) {
            await replayQuarantine(pool, load.id);
            expected.replay(loading.name);
          } else await expect(replayQuarantine(pool, load.id)).rejects.toBeInstanceOf(ConfigurationError);
        }
        expect(await storedRows(first)).toEqual(expected.rows);
      }
    }),
    { numRuns: propertyRuns(25), seed: 14 },
  );
});
