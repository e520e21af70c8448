// Faults in the content of pages: rows, schema and count. Affected rows are chosen by their number in the whole answer, so a page that is
// requested again, or with other boundaries, has the same faults.
import { PAGE_SIZE } from '../../src/core/limits.ts';
import type { Column, Dataset, WireType } from '../../src/datasets/dataset.ts';
import type { WireRow } from '../../src/service/wire.ts';
import type { Query } from '../queries/query.ts';
import { hashText, mix, share } from '../world/hash.ts';
import type { FaultOf, FaultOfStage } from './fault.ts';
import type { PageRecord } from './page-record.ts';
import type { Met } from './plan-run.ts';
import { holdZeros } from './raw-json.ts';
import { isAboutRow, meaningOf, spoilRow, spoilsRow, valueColumnOf } from './strange-values.ts';

/** A fault in the content of an execution or of a single answer. `key` determines its random choices, `firstRow` where it begins. */
export type ContentFlaw = Readonly<{ fault: FaultOfStage<'content'>; key: number; firstRow: number }>;

/** A flaw in all pages of an execution. */
export function flawOfExecution({ fault, key }: Met<FaultOfStage<'content'>>): ContentFlaw {
  const fromPage = 'from_page' in fault ? fault.from_page : 1;
  return { fault, key, firstRow: (fromPage - 1) * PAGE_SIZE.default };
}

/** A flaw in one answer, whose first row has the number `rowsBefore`. */
export function flawOfAnswer({ fault, key }: Met<FaultOfStage<'content'>>, rowsBefore: number): ContentFlaw {
  return { fault, key, firstRow: rowsBefore };
}

/** Changes a page of `query` whose first row has the number `rowsBefore`. */
export function applyFlaws(
  record: PageRecord,
  query: Pick<Query, 'dataset' | 'filters'>,
  rowsBefore: number,
  flaws: readonly ContentFlaw[],
): void {
  const { dataset } = query;
  const begun = flaws.filter(({ fault, firstRow }) => fault.kind !== 'drift' || rowsBefore >= firstRow);
  // Columns first: later faults find columns by name, and rows removed last do not change the numbers that faults go by.
  const added = record.results.map(addedValue);
  for (const { fault } of begun) if (fault.kind === 'drift') driftColumns(record, dataset, fault, added);
  // Odd values are derived from the right value, so they come before bad values.
  for (const flaw of begun) if (flaw.fault.kind === 'odd_value') spoilValues(record, dataset, rowsBefore, flaw);
  for (const flaw of begun) if (flaw.fault.kind === 'bad_value') spoilValues(record, dataset, rowsBefore, flaw);
  const missing = begun.filter(({ fault }) => fault.kind === 'missing_rows');
  if (missing.length > 0) record.results = record.results.filter((_, index) => !missing.some((flaw) => isMet(flaw, rowsBefore + index)));
  for (const { fault } of begun) if (fault.kind === 'row_count') miscount(record, query, rowsBefore, fault);
  for (const { fault } of begun) if (fault.kind === 'ignored_section') record[fault.place] = holdZeros(fault.mib);
  const missingFields = begun.flatMap(({ fault }) =>
    fault.kind === 'missing_field' && isOnPage(fault, record, rowsBefore) ? [fault] : [],
  );
  for (const fault of missingFields) takeField(record, fault);
}

/**
 * What a client without faults of its own would publish of an execution read in pages of 1000: its rows except those that are missing or do
 * not decode, with null for missing columns.
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
      const column = valueColumnOf(dataset, fault);
      return spoilsRow(fault) || (column !== undefined && !absent.includes(column));
    });
    if (isLost) continue;
    const meant = flaws.reduce((given, flaw) => meantRow(given, at, dataset, flaw), row);
    yield absent.length === 0
      ? meant
      : meant.map((value, position) => (absent.includes(dataset.columns[position] as Column) ? null : value));
  }
}

/** The row with the value to be published in place of an oddly written one. */
function meantRow(row: WireRow, number: number, dataset: Dataset, flaw: ContentFlaw): WireRow {
  const { fault } = flaw;
  if (fault.kind !== 'odd_value' || !isMet(flaw, number)) return row;
  const column = valueColumnOf(dataset, fault);
  return row.map((value, position) => (column !== undefined && dataset.columns[position] === column ? meaningOf(fault, value) : value));
}

/** The value of an added column in a row, as decimal text: derived from the row's other values, in the dataset's order. */
export function addedValue(row: readonly unknown[]): string {
  return String(hashText(JSON.stringify(row)) >>> 0);
}

function pageStart(rowNumber: number): number {
  return rowNumber - (rowNumber % PAGE_SIZE.default);
}

function isMet({ fault, key, firstRow }: ContentFlaw, rowNumber: number): boolean {
  if ((fault.kind !== 'missing_rows' && fault.kind !== 'bad_value' && fault.kind !== 'odd_value') || rowNumber < firstRow) return false;
  return fault.share === undefined ? rowNumber < firstRow + (fault.rows ?? 1) : share(mix(key, rowNumber)) < fault.share;
}

const OTHER_TYPE_NAMES: Readonly<Record<WireType, string>> = {
  integer: 'int64',
  string: 'varchar',
  date: 'timestamp',
  float: 'double',
  boolean: 'bool',
};

/** `added` contains the values of a new column, row by row. */
function driftColumns(record: PageRecord, dataset: Dataset, fault: FaultOf<'drift'>, added: readonly string[]): void {
  if (fault.change === 'reordered') {
    record.schema.reverse();
    record.results = record.results.map((row) => row.toReversed());
    return;
  }
  if (fault.change === 'new_column') {
    // In the middle, where it shifts everything that is read by position.
    const place = Math.floor(record.schema.length / 2);
    record.schema.splice(place, 0, { name: fault.column ?? 'added_by_service', type: fault.type ?? 'string' });
    record.results = record.results.map((row, index) => row.toSpliced(place, 0, added[index]));
    return;
  }
  if (fault.change === 'untyped') {
    record.schema = record.schema.map((entry) =>
      fault.column === undefined || entry.name === fault.column ? { name: entry.name } : entry,
    );
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

/** The named column, else the last one. Undefined when the dataset has no column of that name. */
function driftingColumn({ columns }: Dataset, { column }: FaultOf<'drift'>): Column | undefined {
  return column === undefined ? columns.at(-1) : columns.find(({ name }) => name === column);
}

function spoilValues(record: PageRecord, dataset: Dataset, rowsBefore: number, flaw: ContentFlaw): void {
  const { fault } = flaw;
  if (fault.kind !== 'bad_value' && fault.kind !== 'odd_value') return;
  const position = record.schema.findIndex(({ name }) => name === valueColumnOf(dataset, fault)?.name);
  if (position < 0 && !isAboutRow(fault)) return;
  if (fault.value === 'deep_extra') {
    record.schema.push({ name: 'added_in_depth', type: 'string' });
    record.results = record.results.map((row) => [...row, null]);
  }
  record.results = record.results.map((row, index) => (isMet(flaw, rowsBefore + index) ? spoilRow(row, fault, position) : row));
}

function miscount(record: PageRecord, { filters }: Pick<Query, 'filters'>, rowsBefore: number, { count, by }: FaultOf<'row_count'>): void {
  if (count === 'absent') delete record.totalRowCount;
  else if (count === 'above_limit') {
    if (record.totalRowCount !== undefined && record.totalRowCount === filters.limit) record.totalRowCount += by;
  } else record.totalRowCount = (record.totalRowCount ?? 0) + by * (count === 'wrong' ? 1 : Math.floor(rowsBefore / PAGE_SIZE.default));
}

function isOnPage({ pages }: FaultOf<'missing_field'>, { results, nextPageId }: PageRecord, rowsBefore: number): boolean {
  switch (pages) {
    case 'all':
      return true;
    case 'later':
      return rowsBefore > 0;
    case 'last':
      return (nextPageId ?? null) === null;
    case 'without_rows':
      return results.length === 0;
  }
}

function takeField(record: Record<string, unknown>, { field, as }: FaultOf<'missing_field'>): void {
  if (as === 'absent') delete record[field];
  else if (as === 'null') record[field] = null;
  else record[field] = field === 'nextPageId' ? '' : [];
}
