// An independent reader of COPY's binary format, written from Postgres' documentation of it and not from the decoder.

import { createDecoder, type DecodedRows, type SchemaEntry, stagingColumns } from '../../../src/codec/decode.ts';
import { addDays } from '../../../src/core/weeks.ts';
import type { Column, Dataset, PgType, WireType } from '../../../src/datasets/dataset.ts';
import { decodePage } from '../../support/decode-page.ts';

/** Rows of fields as text; null where a field is NULL. Throws for what COPY would refuse. */
function readCopyRows(types: readonly string[], data: Buffer): (string | null)[][] {
  const rows: (string | null)[][] = [];
  for (let at = 0; at < data.length; ) {
    const count = data.readInt16BE(at);
    at += 2;
    if (count !== types.length) throw new Error(`${count} fields for ${types.length} columns`);
    rows.push(
      types.map((type) => {
        const length = data.readInt32BE(at);
        at += 4;
        if (length === -1) return null;
        if (length < 0 || at + length > data.length) throw new Error(`a field of ${length} bytes`);
        const field = data.subarray(at, at + length);
        at += length;
        return readField(type, field);
      }),
    );
  }
  return rows;
}

const LENGTHS: Readonly<Record<string, number>> = { bigint: 8, integer: 4, 'double precision': 8, boolean: 1, date: 4, uuid: 16 };

function readField(type: string, field: Buffer): string {
  if (LENGTHS[type] !== undefined && field.length !== LENGTHS[type]) throw new Error(`${field.length} bytes of ${type}`);
  switch (type) {
    case 'bigint':
      return field.readBigInt64BE().toString();
    case 'integer':
      return field.readInt32BE().toString();
    case 'double precision':
      return Object.is(field.readDoubleBE(), -0) ? '-0' : field.readDoubleBE().toString();
    case 'boolean':
      if (field[0] !== 0 && field[0] !== 1) throw new Error(`a boolean of ${field[0]}`);
      return field[0] === 1 ? 't' : 'f';
    case 'date':
      return addDays('2000-01-01', field.readInt32BE());
    case 'uuid':
      return field.toString('hex');
    case 'jsonb':
      if (field[0] !== 1) throw new Error(`version ${field[0]} of jsonb`);
      return readText(field.subarray(1));
    case 'text':
      return readText(field);
    default:
      throw new Error(`no such type: ${type}`);
  }
}

function readText(bytes: Buffer): string {
  if (bytes.includes(0)) throw new Error('a text holds NUL');
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** The rows of a decoded page by column name. */
export function readPage(dataset: Dataset, page: DecodedRows): Record<string, string | null>[] {
  const columns = stagingColumns(dataset);
  const types = columns.map(([, type]) => type);
  return readCopyRows(types, page.copyData).map((fields) => Object.fromEntries(columns.map(([name], i) => [name, fields[i] ?? null])));
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
  subjects: [],
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
  const page = decodePage(createDecoder(everyType, schemaOf(everyType)), [rowOf(everyType, { [name]: value })], 1);
  const [rejected] = page.rejected;
  if (rejected) return { rejected: rejected.reason, column: rejected.column };
  return { text: readPage(everyType, page)[0]?.[name] ?? null };
}
