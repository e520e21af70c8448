// Reads rows of a plan from a start position. Nothing else is kept between pages.
import type { WireRow } from '../../src/service/wire.ts';
import type { Plan, SegmentedRow } from './plan.ts';

/** Start of a page: a unit, the number of its rows before the page, and the number of rows of the whole answer before it. */
export type PageStart = Readonly<{ unit: number; offset: number; rowsBefore: number }>;

export const FIRST_PAGE: PageStart = { unit: 0, offset: 0, rowsBefore: 0 };

export type PageOfRows = Readonly<{ rows: readonly SegmentedRow[]; next: PageStart | null }>;

/** Up to `size` rows from `start`. `total` is the number of rows of the answer: `next` is null after the last one. */
export function readPage(plan: Plan, start: PageStart, size: number, total: number): PageOfRows {
  const wanted = Math.min(size, total - start.rowsBefore);
  const rows: SegmentedRow[] = [];
  let { unit, offset } = start;
  while (rows.length < wanted && unit < plan.unitCount) {
    const unitRows = plan.rowsOf(unit);
    const taken = unitRows.slice(offset, offset + wanted - rows.length);
    rows.push(...taken);
    offset += taken.length;
    if (offset < unitRows.length) continue;
    unit++;
    offset = 0;
  }
  const rowsBefore = start.rowsBefore + rows.length;
  return { rows, next: rowsBefore < total && unit < plan.unitCount ? { unit, offset, rowsBefore } : null };
}

/** Counts the rows of a plan in steps, so that a large answer does not block the server. */
export class RowCount {
  #total = 0;
  #unit = 0;
  readonly #plan: Plan;
  readonly #limit: number;

  constructor(plan: Plan, limit: number) {
    this.#plan = plan;
    this.#limit = limit;
  }

  /** Counts for about `budgetMs` milliseconds of `now`, and at least some units. Returns true when finished. */
  advance(budgetMs: number, now: () => number): boolean {
    const until = now() + budgetMs;
    do {
      const stop = Math.min(this.#unit + 256, this.#plan.unitCount);
      for (; this.#unit < stop && this.#total < this.#limit; this.#unit++) this.#total += this.#plan.countOf(this.#unit);
    } while (!this.#isThrough() && now() < until);
    return this.#isThrough();
  }

  /** Rows counted so far; all of them once `advance` has returned true. Never above the limit. */
  get total(): number {
    return Math.min(this.#total, this.#limit);
  }

  #isThrough(): boolean {
    return this.#unit >= this.#plan.unitCount || this.#total >= this.#limit;
  }
}

/** All rows of a plan, up to `limit`, as the service sends them. */
export function* wireRows(plan: Plan, limit: number): Generator<WireRow, void, undefined> {
  let given = 0;
  for (let unit = 0; unit < plan.unitCount; unit++) {
    for (const row of plan.rowsOf(unit)) {
      if (given++ >= limit) return;
      yield row.flat();
    }
  }
}

/** The rows as JSON text: an array of rows, each an array of values. */
export function rowsToJson(rows: readonly SegmentedRow[]): string {
  const known: { segment: WireRow | undefined; json: string }[] = [];
  const jsonOf = (segment: WireRow, position: number): string => {
    const last = known[position];
    if (last?.segment === segment) return last.json;
    const json = JSON.stringify(segment).slice(1, -1);
    known[position] = { segment, json };
    return json;
  };
  return `[${rows.map((row) => `[${row.map(jsonOf).join(',')}]`).join(',')}]`;
}
