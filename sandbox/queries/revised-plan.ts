// A plan whose rows have been revised. Counting makes every row, so it is slower than the original plan.
import type { Plan, SegmentedRow } from './plan.ts';
import type { Query } from './query.ts';
import { createReviser } from './revision.ts';

export class RevisedPlan implements Plan {
  readonly unitCount: number;
  readonly #plan: Plan;
  readonly #revise: ReturnType<typeof createReviser>;

  constructor(plan: Plan, query: Query) {
    this.unitCount = plan.unitCount;
    this.#plan = plan;
    this.#revise = createReviser(query);
  }

  rowsOf(unit: number): readonly SegmentedRow[] {
    return this.#plan.rowsOf(unit).flatMap((row): readonly SegmentedRow[] => {
      const before = row.flat();
      const after = this.#revise(before);
      // Unchanged rows keep the segments that they share with their neighbours.
      return after.length === 1 && after[0] === before ? [row] : after.map((one) => [one]);
    });
  }

  countOf(unit: number): number {
    return this.rowsOf(unit).length;
  }
}
