// Changes that the service makes later to weeks that are over: corrected figures, vanished rows, new rows, collapsed answers. A revision is a
// pure function of the row and part of the question, so that the pages of an execution are consistent and the same question has the same
// answer until the next revision.
import { addDays } from '../../src/core/weeks.ts';
import type { Dataset } from '../../src/datasets/dataset.ts';
import type { WireRow, WireValue } from '../../src/service/wire.ts';
import { below, hashText, mix, share } from '../world/hash.ts';
import { AI_ROWS } from './ai-rows.ts';
import type { Query, Revision } from './query.ts';
import { isRanking, RANKINGS } from './ranking-plan.ts';

/** Random choices that are drawn separately for the same row. */
const DRAW = { keep: 1, vanish: 2, change: 3, amount: 4, appear: 5 } as const;

/** Returns a function that maps a row to the same row, another one, several, or none. */
export function createReviser({ dataset, filters, window, revisions }: Query): (row: WireRow) => readonly WireRow[] {
  const { revised } = isRanking(dataset.name) ? RANKINGS[dataset.name] : AI_ROWS[dataset.name];
  const period = positionOf(dataset, 'time_period_start');
  const periodEnd = positionOf(dataset, 'time_period_end');
  const dimension = positionOf(dataset, revised.dimension);
  // A new row would not match the filters if its new value is in a filtered column.
  const isDimensionAsked = dataset.filters.some(({ name, column }) => column === revised.dimension && filters[name] !== undefined);

  const reviseBy = (row: WireRow, revision: Revision): readonly WireRow[] => {
    if (revision.kind === 'whole_period') return row[period] === window.start ? [row.with(periodEnd, window.end)] : [];
    if (revision.weeks && !revision.weeks.includes(String(row[period]))) return [row];
    if (revision.kind === 'misspell') {
      const position = dataset.columns.findIndex(({ name }) => name === revision.column);
      return [row[position] === revision.from ? row.with(position, revision.to) : row];
    }
    const key = hashText(row.join('\u0000'));
    if (revision.kind === 'shrink') return share(mix(key, DRAW.keep)) < revision.keep ? [row] : [];
    const ownKey = mix(key, revision.number);
    const draw = (what: number): number => share(mix(ownKey, what));
    if (draw(DRAW.vanish) < revision.vanish) return [];
    const isChanged = draw(DRAW.change) < revision.share;
    const now = isChanged
      ? withOthers(dataset, row, { columns: revision.columns ?? revised.measures, key: ownKey, number: revision.number })
      : row;
    const appears = draw(DRAW.appear) < revision.appear && row[dimension] !== null && !isDimensionAsked;
    return appears ? [now, row.with(dimension, `${row[dimension]} (new in ${revision.number})`)] : [now];
  };
  return (row) => revisions.reduce<readonly WireRow[]>((rows, revision) => rows.flatMap((one) => reviseBy(one, revision)), [row]);
}

type Changes = Readonly<{ columns: readonly string[]; key: number; number: number }>;

function withOthers(dataset: Dataset, row: WireRow, { columns, key, number }: Changes): WireRow {
  const changed = [...row];
  for (const position of columns.map((name) => positionOf(dataset, name))) {
    const value = row[position];
    const wire = dataset.columns[position]?.wire;
    if (value !== null && value !== undefined) changed[position] = restated(value, wire, 1 + below(mix(key, DRAW.amount), 9), number);
  }
  return changed;
}

function restated(value: WireValue, wire: string | undefined, amount: number, number: number): string {
  if (wire === 'integer') return String(Number(value) + amount);
  if (wire === 'float') return (Number(value) + amount / 100).toFixed(2);
  if (wire === 'date') return addDays(String(value), amount);
  if (wire === 'boolean') return String(value !== 'true');
  return `${value} (restated ${number})`;
}

/** Throws when there is no such column: a mistake in the definition of the dataset's rows. */
function positionOf(dataset: Dataset, name: string): number {
  const position = dataset.columns.findIndex((column) => column.name === name);
  if (position < 0) throw new Error(`${dataset.name} has no column ${name} to revise`);
  return position;
}
