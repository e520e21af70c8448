// Rows in the binary format of COPY, which saves the server from parsing text: half of the cost of COPY there.
// Source: PostgreSQL documentation, COPY, "Binary Format".

import { daysBetween, isIsoDate } from '../core/weeks.ts';
import type { PgType } from '../datasets/dataset.ts';
import type { BufferPool } from './buffer-pool.ts';
import { KEY_BYTES, type RowKey } from './row-key.ts';

/** Types of a staging table's columns. */
export type CopyType = FieldType | 'uuid';
/** Types whose values are written from text. */
type FieldType = PgType | 'jsonb';

/** Precedes the rows: signature, flags, and the length of the header extension, which is empty. */
export const COPY_HEADER: Buffer = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** Follows the rows. */
export const COPY_TRAILER: Buffer = Buffer.from([0xff, 0xff]);

/** The length that stands for NULL. */
const NULL_LENGTH = -1;
/** Bytes before each row: the number of its values. */
export const COUNT_BYTES = 2;
/** Bytes before each value: its length. */
export const LENGTH_BYTES = 4;
const INTEGER_BYTES = 4;
/** Day 0 of Postgres dates. */
const FIRST_DAY = '2000-01-01';
const JSONB_VERSION = 1;
/** Length of the longest value of a non-text type, in bytes. */
export const LONGEST_FIXED = 8;

/** Dates repeat within and between pages, so this many are cached. */
const MAX_KNOWN_DATES = 1_000;
const knownDates = new Map<string, number>();

/** A date in binary form: days since 2000-01-01; undefined for a text that is not a calendar date. */
export function daysOf(date: string): number | undefined {
  const known = knownDates.get(date);
  if (known !== undefined || !isIsoDate(date)) return known;
  const days = daysBetween(FIRST_DAY, date);
  if (knownDates.size === MAX_KNOWN_DATES) knownDates.clear();
  knownDates.set(date, days);
  return days;
}

/** Writes consecutive rows into a buffer of the pool, which is replaced by a larger one when it is full. */
export class CopyRows {
  readonly #buffers: BufferPool;
  bytes: Buffer;
  /** View of `bytes`. */
  view: DataView;
  /** Where the next row begins. */
  end = 0;

  /** `size`: initial bytes. */
  constructor(buffers: BufferPool, size: number) {
    this.#buffers = buffers;
    this.bytes = buffers.acquire(size);
    this.view = viewOf(this.bytes);
  }

  /** All rows, without header and trailer. */
  get data(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  /** Makes room for `more` bytes after the end. */
  reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    this.bytes = this.#buffers.enlarge(this.bytes, this.end + more);
    this.view = viewOf(this.bytes);
  }

  beginRow(columns: number): void {
    this.reserve(COUNT_BYTES);
    this.view.setInt16(this.end, columns);
    this.end += COUNT_BYTES;
  }

  /** Adds a value: canonical text, null for NULL; a boolean is `t` or `f`. */
  add(type: FieldType, text: string | null): void {
    // At most three bytes per UTF-16 unit, plus the version byte of jsonb.
    this.reserve(LENGTH_BYTES + Math.max(LONGEST_FIXED, 1 + 3 * (text?.length ?? 0)));
    this.end = this.write(type, text, this.end);
  }

  /** Adds the columns of a staged row that are not in the dataset. */
  endRow(extra: string | null, key: RowKey, page: number, position: number): void {
    this.add('jsonb', extra);
    this.reserve(3 * LENGTH_BYTES + KEY_BYTES + 2 * INTEGER_BYTES);
    const { view, end } = this;
    view.setInt32(end, KEY_BYTES);
    key.write(this.bytes, end + LENGTH_BYTES);
    const behind = end + LENGTH_BYTES + KEY_BYTES;
    view.setInt32(behind, INTEGER_BYTES);
    view.setInt32(behind + 4, page);
    view.setInt32(behind + 8, INTEGER_BYTES);
    view.setInt32(behind + 12, position);
    this.end = behind + 16;
  }

  /** Writes a value at `at`, where there must be room, and returns its end. */
  write(type: FieldType, text: string | null, at: number): number {
    const length = text === null ? NULL_LENGTH : this.#writeField(type, text, at + LENGTH_BYTES);
    this.view.setInt32(at, length);
    return at + LENGTH_BYTES + Math.max(0, length);
  }

  /** Returns the number of bytes written. */
  #writeField(type: FieldType, text: string, at: number): number {
    const { bytes, view } = this;
    switch (type) {
      case 'bigint':
        view.setBigInt64(at, BigInt(text));
        return 8;
      case 'integer':
        view.setInt32(at, Number(text));
        return 4;
      case 'double precision':
        view.setFloat64(at, Number(text));
        return 8;
      case 'boolean':
        bytes[at] = text === 't' ? 1 : 0;
        return 1;
      case 'date':
        view.setInt32(at, daysOf(text) as number);
        return 4;
      case 'text':
        return bytes.write(text, at);
      case 'jsonb':
        bytes[at] = JSONB_VERSION;
        return 1 + bytes.write(text, at + 1);
    }
  }
}

/** A view of the same bytes for reading and writing numbers. */
export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
