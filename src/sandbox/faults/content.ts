// Faults in what pages contain: rows, schema and count. Which rows are met goes by their number in the whole answer, so
// a page that is asked for again, or cut otherwise, is the same again.
import { PAGE_SIZE } from '../../core/limits.ts';
import type { Column, Dataset, WireType } from '../../datasets/dataset.ts';
import type { WireRow } from '../../service/wire.ts';
import { hashText, mix, share } from '../world/hash.ts';
import { badColumnOf, spoilRow } from './bad-value.ts';
import type { FaultOf, FaultOfStage } from './fault.ts';
import type { PageRecord } from './page-record.ts';
import type { Met } from './plan-run.ts';

/** A fault in the content of an execution, or of a single answer. `key` decides chance, `firstRow` is where it begins. */
export type ContentFlaw = Readonly<{ fault: FaultOfStage<'content'>; key: number; firstRow: number }>;

/** In all pages of an execution. */
export function flawOfExecution({ fault, key }: Met<FaultOfStage<'content'>>): ContentFlaw {
  const fromPage = 'from_page' in fault ? fault.from_page : 1;
  return { fault, key, firstRow: (fromPage - 1) * PAGE_SIZE.default };
}

/** In one answer, whose first row has that number. */
export function flawOfAnswer({ fault, key }: Met<FaultOfStage<'content'>>, rowsBefore: number): ContentFlaw {
  return { fault, key, firstRow: rowsBefore };
}

/** Changes a page whose first row has the number `rowsBefore`. */
export function applyFlaws(record: PageRecord, dataset: Dataset, rowsBefore: number, flaws: readonly ContentFlaw[]): void {
  const begun = flaws.filter(({ fault, firstRow }) => fault.kind !== 'drift' || rowsBefore >= firstRow);
  // Columns first: what goes bad after them goes by name, and what is missing after that leaves their numbers to others.
  const added = record.results.map(addedValue);
  for (const { fault } of begun) if (fault.kind === 'drift') driftColumns(record, dataset, fault, added);
  for (const flaw of begun) if (flaw.fault.kind === 'bad_value') spoilValues(record, dataset, rowsBefore, flaw);
  const missing = begun.filter(({ fault }) => fault.kind === 'missing_rows');
  if (missing.length > 0) record.results = record.results.filter((_, index) => !missing.some((flaw) => isMet(flaw, rowsBefore + index)));
  for (const { fault } of begun) if (fault.kind === 'row_count') miscount(record, rowsBefore, fault);
}

/**
 * What somebody without faults of their own would publish of an execution read in pages of 1000: its rows without those
 * that are missing or do not decode, with null for columns that are missing.
 */
export function* soundRows(rows: Iterable<WireRow>, dataset: Dataset, flaws: readonly ContentFlaw[]): Generator<WireRow, void, undefined> {
  let number = 0;
  for (const row of rows) {
    const at = number++;
    const absent = flaws.flatMap(({ fault, firstRow }) =>
      fault.kind === 'drift' && fault.change === 'missing_column' && pageStart(at) >= firstRow ? [driftingColumn(dataset, fault)] : [],
    );
    const isLost = flaws.some((flaw) => {
      const { fault } = flaw;
      if (fault.kind === 'missing_rows') return isMet(flaw, at);
      if (fault.kind !== 'bad_value' || !isMet(flaw, at)) return false;
      const column = badColumnOf(dataset, fault.value, fault.column);
      return fault.value === 'short_row' || (column !== undefined && !absent.includes(column));
    });
    if (isLost) continue;
    yield absent.length === 0 ? row : row.map((value, position) => (absent.includes(dataset.columns[position] as Column) ? null : value));
  }
}

/** What a column that the service added holds in a row, as decimal text: made of the row's other values, in the dataset's order. */
export function addedValue(row: readonly unknown[]): string {
  return String(hashText(JSON.stringify(row)) >>> 0);
}

function pageStart(rowNumber: number): number {
  return rowNumber - (rowNumber % PAGE_SIZE.default);
}

function isMet({ fault, key, firstRow }: ContentFlaw, rowNumber: number): boolean {
  if ((fault.kind !== 'missing_rows' && fault.kind !== 'bad_value') || rowNumber < firstRow) return false;
  return fault.share === undefined ? rowNumber < firstRow + (fault.rows ?? 1) : share(mix(key, rowNumber)) < fault.share;
}

const OTHER_TYPE_NAMES: Readonly<Record<WireType, string>> = {
  integer: 'int64',
  string: 'varchar',
  date: 'timestamp',
  float: 'double',
  boolean: 'bool',
};

/** `added` has what a new column holds, row by row. */
function driftColumns(record: PageRecord, dataset: Dataset, fault: FaultOf<'drift'>, added: readonly string[]): void {
  if (fault.change === 'reordered') {
    record.schema.reverse();
    record.results = record.results.map((row) => row.toReversed());
    return;
  }
  if (fault.change === 'new_column') {
    // In the middle, where it shifts what goes by position.
    const place = Math.floor(record.schema.length / 2);
    record.schema.splice(place, 0, { name: fault.column ?? 'added_by_service', type: fault.type ?? 'string' });
    record.results = record.results.map((row, index) => row.toSpliced(place, 0, added[index]));
    return;
  }
  const column = driftingColumn(dataset, fault);
  const place = column ? record.schema.findIndex(({ name }) => name === column.name) : -1;
  if (!column || place < 0) return;
  if (fault.change === 'renamed_type') {
    record.schema[place] = { name: column.name, type: fault.type ?? OTHER_TYPE_NAMES[column.wire] };
    return;
  }
  record.schema.splice(place, 1);
  record.results = record.results.map((row) => row.toSpliced(place, 1));
}

/** The named column, else the last. Undefined when the dataset has none of that name. */
function driftingColumn({ columns }: Dataset, { column }: FaultOf<'drift'>): Column | undefined {
  return column === undefined ? columns.at(-1) : columns.find(({ name }) => name === column);
}

function spoilValues(record: PageRecord, dataset: Dataset, rowsBefore: number, flaw: ContentFlaw): void {
  if (flaw.fault.kind !== 'bad_value') return;
  const { value, column } = flaw.fault;
  const position = record.schema.findIndex(({ name }) => name === badColumnOf(dataset, value, column)?.name);
  if (position < 0 && value !== 'short_row') return;
  record.results = record.results.map((row, index) => (isMet(flaw, rowsBefore + index) ? spoilRow(row, value, position) : row));
}

function miscount(record: PageRecord, rowsBefore: number, { count, by }: FaultOf<'row_count'>): void {
  if (count === 'absent') delete record.totalRowCount;
  else record.totalRowCount = (record.totalRowCount ?? 0) + by * (count === 'wrong' ? 1 : Math.floor(rowsBefore / PAGE_SIZE.default));
}
