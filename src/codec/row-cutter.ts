// Cuts rows that are too long out of a JSON answer as it arrives, so that one such row spoils neither its page nor the disk: in its place
// comes an UnparsedRow with its beginning.
import { KIBIBYTE, MEBIBYTE } from '../core/byte-sizes.ts';
import { UnparsedRow, writeUnparsedRow } from '../core/exact-json.ts';
import type { Body, BodySink } from './body-sink.ts';

/** Longer rows are not decoded. */
export const MAX_ROW_BYTES: number = 16 * MEBIBYTE;
/** What is kept of a row that is too long. */
const KEPT_BYTES = 64 * KIBIBYTE;
/** Smaller answers are not looked at: a usual page is half as large. */
const SMALL_BYTES = MEBIBYTE;
/** A row is the third level: in the array of rows, in the record. */
const ROW_DEPTH = 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Collects a body, as BodySink does. */
export type BodyCollector = Pick<BodySink, 'bytes' | 'write' | 'finish' | 'discard'>;

/** Collects the JSON text of an answer in a BodySink, without the rows of more than `maxRowBytes` bytes. */
export class RowCutter implements BodyCollector {
  readonly #sink: BodySink;
  readonly #maxRowBytes: number;
  #isFollowed: boolean = false;
  /** Where the text received so far ends: the number of open brackets, and whether it is inside a string. */
  #depth = 0;
  #isInText: boolean = false;
  #isEscaped: boolean = false;
  /** The current row: where it begins in the sink, its bytes so far, and its beginning when it is already cut out. */
  #rowStart = 0;
  #rowBytes = 0;
  #beginning: Buffer | undefined;

  constructor(sink: BodySink, maxRowBytes = MAX_ROW_BYTES) {
    this.#sink = sink;
    this.#maxRowBytes = maxRowBytes;
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#sink.bytes;
  }

  /** @throws StoreError as BodySink does */
  write(chunk: Buffer): void {
    if (!this.#isFollowed) {
      if (this.bytes + chunk.length <= Math.min(SMALL_BYTES, this.#maxRowBytes)) {
        this.#sink.write(chunk);
        return;
      }
      this.#isFollowed = true;
      const before = this.#sink.readBack(0, this.bytes);
      this.#sink.truncate(0);
      this.#follow(before);
    }
    this.#follow(chunk);
  }

  finish(): Body {
    return this.#sink.finish();
  }

  discard(): void {
    this.#sink.discard();
  }

  #follow(chunk: Buffer): void {
    let written = 0;
    for (let at = 0; at < chunk.length; ) {
      const wasInRow = this.#isInRow;
      const end = this.#findEdge(chunk, at);
      if (wasInRow) {
        this.#rowBytes += end - at;
        if (this.#beginning === undefined && this.#rowBytes > this.#maxRowBytes) {
          this.#sink.write(chunk.subarray(written, end));
          this.#cutRow();
        }
        if (this.#beginning !== undefined) written = end;
        if (!this.#isInRow) this.#endRow();
      } else if (this.#isInRow) {
        this.#rowStart = this.bytes + end - 1 - written;
        this.#rowBytes = 1;
      }
      at = end;
    }
    if (written < chunk.length) this.#sink.write(chunk.subarray(written));
  }

  get #isInRow(): boolean {
    return this.#depth >= ROW_DEPTH;
  }

  /** The end of the bracket that begins or ends a row, from `start`; that of the chunk if there is none. */
  #findEdge(chunk: Buffer, start: number): number {
    let depth = this.#depth;
    let isInText = this.#isInText;
    let isEscaped = this.#isEscaped;
    let at = start;
    for (let isEdge = false; at < chunk.length && !isEdge; at += 1) {
      const byte = chunk[at];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInText = false;
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OPEN || byte === OPEN_OBJECT) {
        depth += 1;
        isEdge = depth === ROW_DEPTH;
      } else if (byte === CLOSE || byte === CLOSE_OBJECT) {
        depth -= 1;
        isEdge = depth === ROW_DEPTH - 1;
      }
    }
    this.#depth = depth;
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
    return at;
  }

  #cutRow(): void {
    this.#beginning = this.#sink.readBack(this.#rowStart, Math.min(this.#rowStart + KEPT_BYTES, this.bytes));
    this.#sink.truncate(this.#rowStart);
  }

  #endRow(): void {
    if (this.#beginning === undefined) return;
    const reason = `the row has ${this.#rowBytes} bytes, and rows of more than ${this.#maxRowBytes} are not read; its beginning is kept`;
    // A JSON text, which every reader of quarantined rows can read. Its last character may be incomplete.
    const raw = JSON.stringify(this.#beginning.toString('utf8').replace(/\ufffd+$/, ''));
    this.#beginning = undefined;
    this.#sink.write(Buffer.from(writeUnparsedRow(new UnparsedRow(reason, raw))));
  }
}
