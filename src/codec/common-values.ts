// What all rows of a load have in common: its account, its organization, its week. Such values stand in the first columns of
// every dataset, and need not be sent to staging, written to its log and read again a million times: as long as all pages
// agree they are kept once, and staging lacks these columns.
import pg from 'pg';
import { z } from 'zod';
import { ProtocolError } from '../core/errors.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { LENGTH_BYTES, NULL_LENGTH, textOf, viewOf } from './copy-rows.ts';

/** The values of the first `columns` columns of a dataset, which all rows have; `bytes` as they stand in a row of COPY. */
export type CommonValues = Readonly<{ columns: number; bytes: Buffer }>;

/** How they are kept with the staging table. */
const KEPT = z.object({ columns: z.array(z.string()), values: z.base64() });
/** The number of values that goes before every row. */
const COUNT_BYTES = 2;
/** More is not worth being kept apart: what is common is short. */
const MAX_BYTES = 1024;

/**
 * What the rows of a load may have in common: the first values of the first row of its first page, `most` at most. Undefined
 * when there are none that are short, or no other row to have them.
 */
export function expectCommon(dataset: Dataset, copyData: Buffer, most = Number.POSITIVE_INFINITY): CommonValues | undefined {
  if (copyData.length === 0) return undefined;
  const view = viewOf(copyData);
  if (endOfRow(view, 0) === copyData.length) return undefined;
  const first = copyData.subarray(COUNT_BYTES);
  // The definition of the staging table begins with a column of the dataset.
  const ends = endsOfValues(first, Math.min(most, dataset.columns.length - 1)).filter((end) => end <= MAX_BYTES);
  const end = ends.at(-1);
  return end === undefined ? undefined : { columns: ends.length, bytes: Buffer.from(first.subarray(0, end)) };
}

/**
 * Takes the values out of a page's rows that all of them have in common with the rows before them, in the same memory. What
 * they have in common is `common`, or less of it, or nothing: then the rows are as they were.
 */
export function leaveOutCommon(copyData: Buffer, common: CommonValues): Readonly<{ copyData: Buffer; common: CommonValues | undefined }> {
  const view = viewOf(copyData);
  const ends = endsOfValues(common.bytes, common.columns);
  let { bytes } = common;
  for (let row = 0; row < copyData.length; row = endOfRow(view, row)) {
    while (!beginsWith(copyData, row + COUNT_BYTES, bytes)) {
      ends.pop();
      bytes = bytes.subarray(0, ends.at(-1) ?? 0);
    }
    if (ends.length === 0) return { copyData, common: undefined };
  }
  const left = ends.length === common.columns ? common : { columns: ends.length, bytes };
  let to = 0;
  for (let row = 0, next: number; row < copyData.length; row = next) {
    next = endOfRow(view, row);
    view.setInt16(to, view.getInt16(row) - left.columns);
    copyData.copyWithin(to + COUNT_BYTES, row + COUNT_BYTES + bytes.length, next);
    to += next - row - bytes.length;
  }
  return { copyData: copyData.subarray(0, to), common: left };
}

/** The columns from number `from` on that they are the values of, as ALTER TABLE adds them to rows that lack them. */
export function addingCommon(dataset: Dataset, { columns, bytes }: CommonValues, from: number): string {
  const ends = endsOfValues(bytes, columns);
  const added = dataset.columns.slice(0, columns).map(({ name, pg: type }, column) => {
    const start = (ends[column - 1] ?? 0) + LENGTH_BYTES;
    const isNull = bytes.readInt32BE(start - LENGTH_BYTES) === NULL_LENGTH;
    const value = isNull ? 'NULL' : pg.escapeLiteral(textOf(type, bytes.subarray(start, ends[column])));
    return `ADD COLUMN IF NOT EXISTS ${pg.escapeIdentifier(name)} ${type} DEFAULT ${value}`;
  });
  return added.slice(from).join(', ');
}

/** As text that is kept with the staging table. */
export function formatCommon(dataset: Dataset, { columns, bytes }: CommonValues): string {
  return JSON.stringify({ columns: describeColumns(dataset, columns), values: bytes.toString('base64') });
}

/** From that text. Throws ProtocolError when it is another's: of a release to which the first columns were others, or not ours. */
export function parseCommon(dataset: Dataset, text: string): CommonValues {
  const kept = readKept(text);
  const columns = kept?.columns.length ?? 0;
  if (kept?.columns.join() !== describeColumns(dataset, columns).join()) {
    throw new ProtocolError(
      `the load was begun by another release, for which ${kept?.columns.join(', ') ?? text} are the first columns of ${dataset.name}`,
      { isLasting: true },
    );
  }
  return { columns, bytes: Buffer.from(kept.values, 'base64') };
}

function readKept(text: string): z.infer<typeof KEPT> | undefined {
  try {
    return KEPT.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Names and types: their values are bytes. */
function describeColumns(dataset: Dataset, columns: number): string[] {
  return dataset.columns.slice(0, columns).map(({ name, pg: type }) => `${name} ${type}`);
}

function beginsWith(copyData: Buffer, start: number, bytes: Buffer): boolean {
  return start + bytes.length <= copyData.length && copyData.compare(bytes, 0, bytes.length, start, start + bytes.length) === 0;
}

/** Where the row that begins at `row` ends. */
function endOfRow(view: DataView, row: number): number {
  return endOfValues(view, row + COUNT_BYTES, view.getInt16(row));
}

/** Where `values` values end of which the first begins at `start`. */
function endOfValues(view: DataView, start: number, values: number): number {
  let end = start;
  for (let value = 0; value < values; value += 1) end += LENGTH_BYTES + Math.max(0, view.getInt32(end));
  return end;
}

/** Where each of the first `values` values ends. */
function endsOfValues(bytes: Buffer, values: number): number[] {
  const view = viewOf(bytes);
  const ends: number[] = [];
  for (let end = 0; ends.length < values; ends.push(end)) end = endOfValues(view, end, 1);
  return ends;
}
