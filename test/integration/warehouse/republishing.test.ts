import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

/** A row of a tiny world, so that answers overlap in keys, values and exact duplicates. */
type Sent = Readonly<{ query: string; rank: number; title: string | null }>;

const sent: fc.Arbitrary<Sent> = fc.record({
  query: fc.constantFrom('a', 'b', 'c'),
  rank: fc.integer({ min: 1, max: 3 }),
  title: fc.constantFrom('x', 'y', '', null),
});
const answer = fc.array(sent, { maxLength: 14 });

const inOrder = (rows: readonly unknown[]): unknown[] => rows.map((row) => JSON.stringify(row)).toSorted((a, b) => (a < b ? -1 : 1));
const countByKey = (rows: readonly Sent[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { query } of rows) counts[query] = (counts[query] ?? 0) + 1;
  return counts;
};

describe('the table', () => {
  it('holds exactly the last answer, duplicates counted, whatever was published before it', async () => {
    const { pool } = ledger;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(answer, fc.integer({ min: 1, max: 4 })), { minLength: 2, maxLength: 5 }), async (answers) => {
        const job = jobOf();
        let before: readonly Sent[] = [];
        for (const [rows, pageSize] of answers) {
          const wire = rows.map(({ query, rank, title }) => wireRow(job, { query, rank_standard: String(rank), title }));
          const pages = Array.from({ length: Math.ceil(wire.length / pageSize) || 1 }, (_, i) =>
            wire.slice(i * pageSize, (i + 1) * pageSize),
          );
          const counts = await publish(pool, job, await stageWindow(pool, job, pages));

          const stored = await publishedRows(pool, job, ['query', 'rank_standard', 'title', '_occurrence']);
          expect(inOrder(stored.map(({ query, rank_standard: rank, title }) => ({ query, rank, title })))).toEqual(inOrder(rows));
          const numbers = stored.map(({ query, _occurrence }) => ({ query, _occurrence }));
          const expected = Object.entries(countByKey(rows)).flatMap(([query, count]) =>
            Array.from({ length: count }, (_, i) => ({ query, _occurrence: i + 1 })),
          );
          expect(inOrder(numbers)).toEqual(inOrder(expected));

          expect(counts.inserted + counts.updated + counts.unchanged).toBe(rows.length);
          expect(counts.updated + counts.unchanged + counts.deleted).toBe(before.length);
          if (inOrder(rows).join() === inOrder(before).join()) expect(counts).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
          before = rows;
        }
      }),
      { numRuns: propertyRuns(25), seed: 42 },
    );
  });

  it('writes a row more or a row less when the service sends one duplicate more or less', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const copies = (count: number): unknown[][] => Array.from({ length: count }, () => wireRow(job, { query: 'a', title: 'same' }));
    expect(await loadWindow(pool, job, copies(3))).toMatchObject({ inserted: 3 });
    expect(await loadWindow(pool, job, copies(5))).toEqual({ inserted: 2, updated: 0, unchanged: 3, deleted: 0 });
    expect(await loadWindow(pool, job, copies(1))).toEqual({ inserted: 0, updated: 0, unchanged: 1, deleted: 4 });
    expect(await loadWindow(pool, job, copies(2))).toEqual({ inserted: 1, updated: 0, unchanged: 1, deleted: 0 });
  });

  it('has the duplicates of a new week, whether or not the week before had any', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const rowsOf = (start: IsoDate): unknown[][] => ['a', 'b', 'a', 'a'].map((query) => wireRow(job, { query }, start));
    const weeks = [0, 7, 14].map((days) => windowOfWeeks(addDays(WEEK.start, days), 1));
    for (const week of weeks) expect(await loadWindow(pool, job, rowsOf(week.start), week)).toMatchObject({ inserted: 4 });
    const { rows } = await pool.query('SELECT rows_duplicated FROM searchmill.publications ORDER BY id DESC LIMIT 3');
    expect(rows).toEqual([{ rows_duplicated: 2 }, { rows_duplicated: 2 }, { rows_duplicated: 2 }]);
    expect((await publishedRows(pool, job, ['query', '_occurrence'])).filter(({ query }) => query === 'a')).toHaveLength(9);
  });
});
