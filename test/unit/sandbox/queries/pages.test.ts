import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIRST_PAGE, type PageStart, RowCount, readPage, rowsToJson, wireRows } from '../../../../sandbox/queries/pages.ts';
import type { Plan, SegmentedRow } from '../../../../sandbox/queries/plan.ts';

/** A plan with that many rows in each unit; notes which units were made. */
class CountedPlan implements Plan {
  readonly made: number[] = [];
  readonly unitCount: number;
  readonly #rowsIn: (unit: number) => number;

  constructor(unitCount: number, rowsIn: (unit: number) => number) {
    this.unitCount = unitCount;
    this.#rowsIn = rowsIn;
  }

  rowsOf(unit: number): SegmentedRow[] {
    this.made.push(unit);
    const shared = [`unit ${unit}`];
    return Array.from({ length: this.#rowsIn(unit) }, (_, index) => [shared, [String(index), null]]);
  }

  countOf(unit: number): number {
    return this.#rowsIn(unit);
  }
}

const units = fc.array(fc.nat({ max: 5 }), { maxLength: 30 });

function planOf(rows: readonly number[]): CountedPlan {
  return new CountedPlan(rows.length, (unit) => rows[unit] ?? 0);
}

function countAll(plan: Plan, limit: number): number {
  const count = new RowCount(plan, limit);
  expect(count.advance(Number.POSITIVE_INFINITY, () => 0)).toBe(true);
  return count.total;
}

test('pages of any sizes, each made from its place alone, make up all rows up to the limit', () => {
  fc.assert(
    fc.property(units, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), fc.option(fc.nat({ max: 60 })), (rows, sizes, given) => {
      const limit = given ?? Number.POSITIVE_INFINITY;
      const expected = [...wireRows(planOf(rows), limit)];
      const total = countAll(planOf(rows), limit);
      expect(total).toBe(expected.length);
      const read: unknown[] = [];
      let place: PageStart | null = FIRST_PAGE;
      for (let page = 0; place; page++) {
        const size = sizes[page % sizes.length] ?? 1;
        const { rows: some, next } = readPage(planOf(rows), JSON.parse(JSON.stringify(place)), size, total);
        expect(some.length).toBe(Math.min(size, total - read.length));
        read.push(...(JSON.parse(rowsToJson(some)) as unknown[]));
        place = next;
      }
      expect(read).toEqual(expected);
    }),
  );
});

test('a page deep inside an enormous answer computes only its own rows', () => {
  const plan = new CountedPlan(2_000_000_000, () => 10);
  const { rows, next } = readPage(plan, { unit: 1_234_567_890, offset: 4, rowsBefore: 12_345_678_904 }, 25, 20_000_000_000);
  expect(rows).toHaveLength(25);
  expect(rows[0]?.flat()).toEqual(['unit 1234567890', '4', null]);
  expect(next).toEqual({ unit: 1_234_567_892, offset: 9, rowsBefore: 12_345_678_929 });
  expect(plan.made).toEqual([1_234_567_890, 1_234_567_891, 1_234_567_892]);
});

describe('counting', () => {
  test('goes on where its last turn ended', () => {
    const plan = new CountedPlan(1000, () => 3);
    const count = new RowCount(plan, Number.POSITIVE_INFINITY);
    let now = 0;
    const step = () => count.advance(1, () => now++);
    const turns = [];
    for (let isThrough = false; !isThrough; ) {
      isThrough = step();
      turns.push(count.total);
    }
    expect(turns.length).toBeGreaterThan(1);
    expect(turns.at(-1)).toBe(3000);
  });

  test('ends early at a limit', () => {
    let asked = 0;
    const plan = new CountedPlan(1_000_000_000, () => {
      asked++;
      return 2;
    });
    expect(countAll(plan, 7)).toBe(7);
    expect(asked).toBe(4);
  });
});

test('rows become the JSON that JSON.stringify would make of them', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\n', '\u2028', '💡', 'ä,b'), fc.constant(null));
  const segment = fc.array(text, { minLength: 1 });
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 4 }),
      fc.array(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 })),
      (pool, picks) => {
        // Rows that share segments, as those of a unit do, in any mixture.
        const rows = picks.map((row) => row.map((index) => pool[index % pool.length] ?? []));
        expect(rowsToJson(rows)).toBe(JSON.stringify(rows.map((row) => row.flat())));
      },
    ),
  );
});
