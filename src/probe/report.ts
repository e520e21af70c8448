// The findings of a survey (searchmill probe) about one dataset, without any value that reveals something about a customer: counts, forms, vocabulary words.
import { compareText } from '../core/compare-text.ts';
import { groupBy } from '../core/group-by.ts';
import { addDays, daysBetween, isIsoDate, WEEKDAYS } from '../core/weeks.ts';
import { type Heard, SMALL_PAGE } from './ask.ts';
import { findIgnored } from './ignored-filters.ts';
import { textsOf, valuesOf } from './values.ts';
import { compareWords, wordsOf } from './vocabularies.ts';

export type ColumnReport = Readonly<{
  name: string;
  /** Type according to the answer's schema; null if it gives none. */
  type: string | null;
  filled: number;
  empty: number;
  absent: number;
  distinct: number;
  longest: number;
  /** How often each JSON type is used for its values. */
  writtenAs: Readonly<Record<string, number>>;
  /** Only for a vocabulary column. */
  words?: readonly string[];
}>;

export type DatasetReport = Readonly<{
  dataset: string;
  /** Code of the error that prevented reading it; null when it was read. */
  problem: string | null;
  calls: readonly Readonly<{
    call: string;
    status: number | null;
    /** As the service writes it. */
    state: string | null;
    fields: readonly string[];
    headers: Readonly<Record<string, string>>;
    milliseconds: number;
  }>[];
  readyMs: number | null;
  pageRows: readonly number[];
  totalRows: string | null;
  columns: readonly ColumnReport[];
  /** What differs from Searchmill's assumptions, or was unknown. */
  findings: readonly string[];
}>;

/** Headers about how the service wants to be called; others may identify a customer. */
const TOLD_HEADERS = /^(?:retry-after|content-encoding|content-type|transfer-encoding|cache-control|.*rate-?limit.*)$/;

/** `others`: what was heard of the same dataset with the filters of further jobs, of which only those filters are told. */
export function reportOn(heard: Heard, others: readonly Heard[] = []): DatasetReport {
  const { question, calls, readyMs, rows, pageRows, pages, problem } = heard;
  const columns = describeColumns(heard);
  return {
    dataset: question.dataset.name,
    problem: problem?.code ?? null,
    calls: calls.map(({ call, status, headers, record, durationMs }) => ({
      call,
      status,
      state: stateOf(record),
      fields: record !== null && typeof record === 'object' ? Object.keys(record).sort(compareText) : [],
      headers: Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) => (TOLD_HEADERS.test(name) ? [[name, String(value)]] : [])),
      ),
      milliseconds: Math.round(durationMs),
    })),
    readyMs,
    pageRows,
    totalRows: pages[0]?.totalRowCount?.toString() ?? null,
    columns,
    findings: problem
      ? [`it could not be read: ${problem.code}`]
      : [
          ...findColumns(heard),
          ...findShapes(rows, heard.schema.length, columns),
          ...columns.flatMap(({ name, words }) => (words ? compareWords(question.dataset, name, words) : [])),
          ...findIgnored([heard, ...others]),
          ...findLists(heard),
          ...findDates(heard),
          ...findPages(heard),
          ...findStates(heard),
        ],
  };
}

const stateOf = (record: unknown): string | null => {
  const state = (record as { executionState?: unknown } | null | undefined)?.executionState;
  return typeof state === 'string' ? state.slice(0, 40) : null;
};

function describeColumns(heard: Heard): ColumnReport[] {
  return heard.schema.map(({ name, type }) => {
    const values = valuesOf(heard, name);
    const texts = new Set(textsOf(heard, name));
    const words = wordsOf(name, texts);
    return {
      name: name.slice(0, 63),
      type: type ?? null,
      filled: values.filter((value) => value !== null && value !== '').length,
      empty: values.filter((value) => value === '').length,
      absent: values.filter((value) => value === null).length,
      distinct: texts.size,
      longest: [...texts].reduce((most, text) => Math.max(most, text.length), 0),
      writtenAs: countKinds(values),
      ...(words && words.length > 0 ? { words } : {}),
    };
  });
}

function countKinds(values: readonly unknown[]): Record<string, number> {
  const kinds = groupBy(values, (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value));
  return Object.fromEntries([...kinds].map(([kind, own]) => [kind, own.length]));
}

function findColumns({ question: { dataset }, schema }: Heard): string[] {
  if (schema.length === 0) return ['its answer has no schema'];
  const names = schema.map(({ name }) => name);
  const expected = dataset.columns.map(({ name }) => name);
  const missing = expected.filter((name) => !names.includes(name));
  const added = names.filter((name) => !expected.includes(name)).map((name) => name.slice(0, 63));
  const common = names.filter((name) => expected.includes(name));
  const isInOrder = common.join() === expected.filter((name) => names.includes(name)).join();
  const types = schema.flatMap(({ name, type }) => {
    const column = dataset.columns.find((each) => each.name === name);
    return column && type !== column.wire ? [`${name} is ${type ?? 'without a type'}, not ${column.wire}`] : [];
  });
  return [
    ...(missing.length > 0 ? [`columns missing: ${missing.join(', ')}`] : []),
    ...(added.length > 0 ? [`unknown columns: ${added.join(', ')}`] : []),
    ...(isInOrder ? [] : ['columns are in another order']),
    ...(types.length > 0 ? [`other types: ${types.join('; ')}`] : []),
  ];
}

function findShapes(rows: readonly unknown[], width: number, columns: readonly ColumnReport[]): string[] {
  if (rows.length === 0) return ['it has no rows for this week, so rows could not be checked'];
  const odd = rows.filter((row) => !Array.isArray(row) || row.length !== width).length;
  const kinds = columns.flatMap(({ name, writtenAs }) => {
    const others = Object.keys(writtenAs).filter((kind) => kind !== 'string' && kind !== 'null');
    return others.length > 0 ? [`${name} (${others.join(', ')})`] : [];
  });
  return [
    ...(odd > 0 ? [`${odd} of ${rows.length} rows are not as wide as the schema`] : []),
    ...(kinds.length > 0 ? [`values that are not JSON strings: ${kinds.join(', ')}`] : []),
  ];
}

/** Checks lists in text columns: whether groups have as many names as ids. */
function findLists(heard: Heard): string[] {
  const [ids, names] = [valuesOf(heard, 'keyword_group_ids'), valuesOf(heard, 'keyword_group_names')];
  const count = (value: unknown): number => (typeof value === 'string' && value !== '' ? value.split(',').length : 0);
  const unlike = ids.filter((value, at) => count(value) !== count(names[at])).length;
  return unlike > 0 ? [`keyword groups: ${unlike} of ${ids.length} rows have more or fewer names than ids, so names contain commas`] : [];
}

function findDates(heard: Heard): string[] {
  const found: string[] = [];
  for (const { name, wire } of heard.question.dataset.columns) {
    if (wire !== 'date') continue;
    const odd = textsOf(heard, name).filter((text) => !isIsoDate(text)).length;
    if (odd > 0) found.push(`${name}: ${odd} values are not dates such as 2026-11-08`);
  }
  const [starts, ends] = [textsOf(heard, 'time_period_start'), textsOf(heard, 'time_period_end')];
  const spans = new Set(
    starts.flatMap((start, at) => {
      const end = ends[at] ?? '';
      return isIsoDate(start) && isIsoDate(end) ? [`${daysBetween(start, addDays(end, 1))} days from ${nameDay(start)}`] : [];
    }),
  );
  const other = [...spans].filter((span) => span !== '7 days from sunday');
  return other.length > 0 ? [...found, `periods: ${other.join(', ')}`] : found;
}

const nameDay = (date: string): string => WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';

function findPages({ pages, pageRows }: Heard): string[] {
  const [first, second] = pages;
  if (!first) return [];
  const [rows = 0, more = 0] = pageRows;
  const total = first.totalRowCount;
  return [
    ...(total === null ? ['it does not say how many rows there are'] : []),
    ...(first.nextPageId === null && total !== null && total !== BigInt(rows)
      ? [`its only page has ${rows} rows, but it reports ${total}`]
      : []),
    ...(second && more > SMALL_PAGE ? [`a page of ${SMALL_PAGE} was asked for and has ${more} rows`] : []),
    ...(second && second.nextPageId === first.nextPageId ? ['the second page has the token of the first'] : []),
    ...(second && second.schema.length === 0 ? ['the second page has no schema'] : []),
    ...(second && second.totalRowCount !== total ? ['the second page reports another number of rows'] : []),
  ];
}

function findStates({ calls }: Heard): string[] {
  const odd = calls.flatMap(({ call, status, record }) => {
    const state = stateOf(record);
    const expected = state === 'IN_PROGRESS' ? 202 : state === 'COMPLETED' ? 200 : undefined;
    if (state !== null && expected === undefined && state !== 'FAILED') return [`${call}: state ${state}`];
    return expected !== undefined && status !== expected ? [`${call}: ${state} with status ${status}`] : [];
  });
  return [...new Set(odd)];
}
