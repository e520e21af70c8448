// The row key: 128 bits that identify a row of a dataset. The rule is defined in the function searchmill.row_key
// (migrations/repeatable/01_ledger.sql); here are the key of a row being decoded, and the arguments with which Postgres computes it.
import { hash } from 'node:crypto';
import pg from 'pg';
import { KIBIBYTE } from '../core/byte-sizes.ts';
import { type Dataset, identityColumns } from '../datasets/dataset.ts';

/** Bytes of the digest used as the key. */
export const KEY_BYTES = 16;

const ZERO = 0x30;
const COLON = 0x3a;
const MINUS = 0x2d;
/** Maximum bytes for a value's length and colon, or for the minus of a missing value. */
const OVERHEAD_BYTES = 16;

const KEPT_LENGTHS = 1_000;

/** Computes the keys of rows, one after another, from the canonical texts of their identity columns in order: integers, dates and text. */
export class RowKey {
  #identity = Buffer.allocUnsafeSlow(4 * KIBIBYTE);
  /** View of `#identity`. */
  #view = new DataView(this.#identity.buffer);
  /** Views of the first n bytes, by n. Most lengths repeat; a new view for each row would be a third of a load's garbage. */
  #beginnings: Buffer[] = [];
  #end = 0;

  /** Begins a row. */
  clear(): void {
    this.#end = 0;
  }

  /** Adds a column; null for NULL. */
  add(cell: string | null): void {
    if (cell === null) {
      this.#reserve(0);
      this.#identity[this.#end++] = MINUS;
      return;
    }
    const length = Buffer.byteLength(cell);
    this.#begin(length);
    this.#end += this.#identity.write(cell, this.#end, length);
  }

  /** Adds a column whose text is in `source`, followed by at least three more bytes. */
  addBytes(source: DataView, start: number, end: number): void {
    this.#begin(end - start);
    const view = this.#view;
    const to = this.#end;
    // Copies up to three extra bytes after the text, which later writes overwrite.
    for (let byte = 0; byte < end - start; byte += 4) view.setInt32(to + byte, source.getInt32(start + byte));
    this.#end = to + end - start;
  }

  /** Writes the key of the columns added. */
  write(to: Buffer, at: number): void {
    const digest = hash('sha256', this.#begun(), 'binary');
    // Faster than a native call.
    for (let byte = 0; byte < KEY_BYTES; byte += 1) to[at + byte] = digest.charCodeAt(byte);
  }

  #begun(): Buffer {
    const length = this.#end;
    if (length >= KEPT_LENGTHS) return this.#identity.subarray(0, length);
    this.#beginnings[length] ??= this.#identity.subarray(0, length);
    return this.#beginnings[length] as Buffer;
  }

  #begin(length: number): void {
    this.#reserve(length);
    this.#writeNumber(length);
    this.#identity[this.#end++] = COLON;
  }

  #reserve(length: number): void {
    const needed = this.#end + length + OVERHEAD_BYTES;
    if (needed <= this.#identity.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#identity.length, needed));
    this.#identity.copy(larger, 0, 0, this.#end);
    this.#identity = larger;
    this.#view = new DataView(larger.buffer);
    this.#beginnings = [];
  }

  #writeNumber(number: number): void {
    if (number > 9) this.#writeNumber(Math.floor(number / 10));
    this.#identity[this.#end++] = ZERO + (number % 10);
  }
}

/** The arguments of searchmill.row_key for the rows of a table or staging table of the dataset. */
export function keyArguments(dataset: Dataset): string {
  return identityColumns(dataset)
    .map(({ name, pg: type }) => {
      const column = pg.escapeIdentifier(name);
      // Not a cast, which would depend on the session's DateStyle.
      return type === 'date' ? `to_char(${column}, 'YYYY-MM-DD')` : `${column}::text`;
    })
    .join(', ');
}
