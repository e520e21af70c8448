// An independent reader of COPY text, written from Postgres' documentation of the format and not from the decoder.
import type { Column, Dataset, PgType, WireType } from '../../../src/datasets/dataset.ts';
import { createDecoder, type DecodedPage, type SchemaEntry, stagingColumns } from '../../../src/warehouse/decode.ts';

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Lines of fields; null where a field is \N. Throws for what COPY would refuse or read as its end. */
export function readCopyText(text: string): (string | null)[][] {
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      if (line === '\\.') throw new Error('a line ends the data');
      if (line.includes('\r') || line.includes('\0')) throw new Error('a line holds a raw carriage return or NUL');
      return line.split('\t').map(readField);
    });
}

function readField(field: string): string | null {
  if (field === '\\N') return null;
  let value = '';
  for (let i = 0; i < field.length; i += 1) {
    const character = field.charAt(i);
    if (character !== '\\') value += character;
    else {
      i += 1;
      if (i === field.length) throw new Error('a field ends in a backslash');
      const escaped = field.charAt(i);
      if (/[0-7x]/.test(escaped)) throw new Error('a numeric escape, which the decoder never needs');
      value += ESCAPED[escaped] ?? escaped;
    }
  }
  return value;
}

/** The rows of a decoded page by column name. */
export function readPage(dataset: Dataset, page: DecodedPage): Record<string, string | null>[] {
  const names = stagingColumns(dataset);
  return readCopyText(page.copyText).map((fields) => {
    if (fields.length !== names.length) throw new Error(`${fields.length} fields for ${names.length} columns`);
    return Object.fromEntries(names.map((name, i) => [name, fields[i] ?? null]));
  });
}

const column = (name: string, wire: WireType, pg: PgType, isIdentity = false): Column => ({ name, wire, pg, isIdentity, comment: '' });

/** A dataset with a column of every type. */
export const everyType: Dataset = {
  name: 'every_type',
  title: '',
  tag: '',
  grain: '',
  period: { start: 'start_date', end: 'end_date' },
  filters: [],
  columns: [
    column('account_id', 'integer', 'bigint', true),
    column('time_period_start', 'date', 'date', true),
    column('query', 'string', 'text', true),
    column('rank', 'integer', 'integer'),
    column('volume', 'integer', 'bigint'),
    column('cpc', 'float', 'double precision'),
    column('collected', 'boolean', 'boolean'),
    column('day', 'date', 'date'),
    column('title', 'string', 'text'),
  ],
};

export const schemaOf = (dataset: Dataset): SchemaEntry[] => dataset.columns.map(({ name, wire }) => ({ name, type: wire }));

/** A good row of `dataset` with some values replaced, in the dataset's order. */
export function rowOf(dataset: Dataset, values: Readonly<Record<string, unknown>> = {}): unknown[] {
  const usual: Readonly<Record<string, unknown>> = { account_id: '1', time_period_start: '2026-11-08', ...values };
  return dataset.columns.map(({ name }) => usual[name] ?? null);
}

/** What becomes of one value in one column of `everyType`: its text, null, or the reason of its rejection. */
export function decodeValue(name: string, value: unknown): { text: string | null } | { rejected: string; column: string | null } {
  const page = createDecoder(everyType, schemaOf(everyType)).decodePage([rowOf(everyType, { [name]: value })], 1);
  const [rejected] = page.rejected;
  if (rejected) return { rejected: rejected.reason, column: rejected.column };
  return { text: readPage(everyType, page)[0]?.[name] ?? null };
}
