// The rows of an AI search query: answers in order, a few rows each, without those that do not match.
import type { Dataset } from '../../src/datasets/dataset.ts';
import type { WireValue } from '../../src/service/wire.ts';
import type { AiAnswer } from '../world/ai-answer.ts';
import { mix, share } from '../world/hash.ts';
import type { AiQuestions } from './ai-questions.ts';
import type { AiRows } from './ai-rows.ts';
import type { Condition } from './conditions.ts';
import type { Plan, SegmentedRow } from './plan.ts';

type RowTest = Readonly<{ position: number; accepts: Condition['accepts'] }>;

export class AiPlan implements Plan {
  readonly unitCount: number;
  readonly #questions: AiQuestions;
  readonly #rows: AiRows;
  readonly #tests: readonly RowTest[];
  readonly #duplicates: number;

  /** `conditions` are those not yet met by the choice of answers; `duplicates` is the share of rows that appear twice, 0 to 1. */
  constructor(
    dataset: Dataset,
    questions: AiQuestions,
    rows: AiRows,
    { conditions, duplicates }: Readonly<{ conditions: readonly Condition[]; duplicates: number }>,
  ) {
    this.unitCount = questions.count;
    this.#questions = questions;
    this.#rows = rows;
    this.#tests = conditions.map(({ column, accepts }) => ({ position: positionOf(dataset, column), accepts }));
    this.#duplicates = rows.hasDuplicates ? duplicates : 0;
  }

  countOf(unit: number): number {
    const answer = this.#questions.at(unit);
    if (!answer) return 0;
    return this.#rows.countOf && this.#tests.length === 0 ? this.#rows.countOf(answer) : this.#make(answer).length;
  }

  rowsOf(unit: number): readonly SegmentedRow[] {
    const answer = this.#questions.at(unit);
    return answer ? this.#make(answer) : [];
  }

  #make(answer: AiAnswer): SegmentedRow[] {
    const weekKey = mix(mix(answer.key, 0xdd), answer.period.number);
    const made = this.#rows
      .rowsOf(answer)
      .flatMap((row, index) => (this.#duplicates > 0 && share(mix(weekKey, index)) < this.#duplicates ? [row, row] : [row]));
    return made.filter((row) => this.#tests.every(({ position, accepts }) => accepts(asText(valueAt(row, position)))));
  }
}

function positionOf(dataset: Dataset, column: string): number {
  const position = dataset.columns.findIndex(({ name }) => name === column);
  if (position < 0) throw new Error(`the sandbox cannot filter ${dataset.name} by ${column}`);
  return position;
}

function valueAt(row: SegmentedRow, position: number): WireValue {
  let rest = position;
  for (const segment of row) {
    if (rest < segment.length) return segment[rest] ?? null;
    rest -= segment.length;
  }
  return null;
}

function asText(value: WireValue): string | null {
  return value === null ? null : String(value);
}
