// Filters that make no difference to the service, over all questions of a dataset that a survey asked: rows have values that the filter should have
// excluded. Jobs of an account that are configured together differ in a filter of which a column tells, so this also finds what would make them take each
// other's rows.
import { sumOf } from '../core/numbers.ts';
import type { Column, Dataset, Filter } from '../datasets/dataset.ts';
import { coveringValues, separatingFilters } from '../datasets/disjoint-filters.ts';
import { createRowTest, tellingColumns } from '../datasets/selected-rows.ts';
import type { Heard } from './ask.ts';
import { valuesOf } from './values.ts';

/** `all`: what was heard of one dataset and account, one question after the other. No finding has a value of a filter or of a row. */
export function findIgnored(all: readonly Heard[]): string[] {
  const names = [...new Set(all.flatMap(({ question }) => Object.keys(question.filters)))];
  return names.flatMap((name) => {
    const asked = all.filter(({ question }) => question.filters[name] !== undefined);
    const rows = sumOf(asked, (heard) => heard.rows.length);
    const unlike = sumOf(asked, (heard) => countUnlike(heard, name));
    return unlike > 0 ? [`${name} makes no difference: ${unlike} of ${rows} rows have other values than it asks for`] : [];
  });
}

/** How many rows of an answer a filter of its question should have excluded: the service ignores it, or reads its values in another way. */
function countUnlike({ question: { dataset, filters }, schema, rows }: Heard, name: string): number {
  const asked = filters[name];
  const filter = plainFilter(dataset, name);
  if (filter) return valuesOf({ schema, rows }, filter.column ?? '').filter((cell) => isOutside(filter, asked, cell)).length;
  const columns = tellingColumns(dataset).map((column) => ({ column, at: schema.findIndex((each) => each.name === column) }));
  const isAskedFor = createRowTest(dataset, { [name]: asked });
  const isUsual = createRowTest(dataset, {});
  return rows.filter((row) => {
    if (!Array.isArray(row) || row.length !== schema.length) return false;
    const read = new Map(columns.map(({ column, at }) => [column, typeof row[at] === 'string' ? row[at] : null]));
    return isUsual(read) && !isAskedFor(read);
  }).length;
}

/** A filter on a column whose comparison is not specified; undefined for one that separates, or that no column shows. */
function plainFilter(dataset: Dataset, name: string): PlainFilter | undefined {
  const filter = dataset.filters.find((each) => each.name === name && each.column !== undefined);
  if (!filter || separatingFilters(dataset).includes(filter)) return undefined;
  return { ...filter, items: dataset.columns.find((column) => column.name === filter.column)?.items };
}

type PlainFilter = Filter & Readonly<{ items: Column['items'] | undefined }>;

/** Whether a cell shows that a filter, whose comparison is not specified, excludes its row in whatever way it compares. */
function isOutside({ widens, items }: PlainFilter, asked: unknown, cell: unknown): boolean {
  const text = typeof cell === 'string' || typeof cell === 'number' ? String(cell) : '';
  if (text === '') return false;
  if (typeof asked === 'number' && widens !== undefined) return widens === 'lower' ? Number(text) < asked : Number(text) > asked;
  const found = items === 'string' || items === undefined ? [text] : text.split(',');
  return ![asked].flat().some((value) => found.some((item) => isAlike(String(value), item, items === 'string')));
}

function isAlike(asked: string, found: string, isWithin: boolean): boolean {
  const [[one = ''], [other = '']] = [coveringValues(asked, 'value'), coveringValues(found, 'value')];
  return (
    one === other || (isWithin && other.includes(one)) || coveringValues(found, 'host').includes(coveringValues(asked, 'host')[0] ?? '')
  );
}
