// Writes log lines to a file descriptor. A full disk, or a reader that has gone or stopped reading, loses lines but never stops the process.
// Lost lines are counted, and one line says how many as soon as there is room again.
import { writeSync } from 'node:fs';

export type Write = (bytes: Uint8Array) => number;

/** The code of a failure after which the same write can succeed later. */
const NO_ROOM_NOW = 'EAGAIN';
/** How long to wait for a slow reader, once. A reader that reads nothing must not delay the process at every line. */
const PATIENCE_MS = 100;
const PAUSE_MS = 5;

export class LineWriter {
  readonly #write: Write;
  readonly #format: (line: string) => string;
  readonly #onLost: () => void;
  /** The rest of a partly written line, without which the next line would be unreadable. */
  #rest: Uint8Array = new Uint8Array();
  #lost: { lines: number; since: Date; because: string } | undefined;

  /** `to`: a file descriptor. `format` makes what is written of a JSON line; `onLost` is called for each line that is not. */
  constructor(to: number | Write, { format = (line: string) => line, onLost = () => {} } = {}) {
    this.#write = typeof to === 'number' ? (bytes) => writeSync(to, bytes) : to;
    this.#format = format;
    this.#onLost = onLost;
  }

  /** Writes a line of JSON that ends with a newline. Never throws. */
  write(line: string): void {
    try {
      this.#flush();
      if (this.#lost) this.#send(describeLoss(this.#lost));
      this.#lost = undefined;
      this.#send(line);
    } catch (error) {
      this.#lost ??= { lines: 0, since: new Date(), because: (error as NodeJS.ErrnoException).code ?? String(error) };
      this.#lost.lines += 1;
      this.#onLost();
    }
  }

  #send(line: string): void {
    this.#rest = Buffer.from(this.#format(line));
    const { length } = this.#rest;
    try {
      this.#flush();
    } catch (error) {
      // The rest of a partly written line is kept, so the line is not lost.
      if (this.#rest.length < length) return;
      this.#rest = new Uint8Array();
      throw error;
    }
  }

  #flush(): void {
    const until = performance.now() + (this.#lost ? 0 : PATIENCE_MS);
    while (this.#rest.length > 0) {
      try {
        this.#rest = this.#rest.subarray(this.#write(this.#rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== NO_ROOM_NOW || performance.now() >= until) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      }
    }
  }
}

function describeLoss({ lines, since, because }: { lines: number; since: Date; because: string }): string {
  const msg = `${lines} log ${lines === 1 ? 'line was' : 'lines were'} lost since ${since.toISOString()}, because nothing could be written (${because})`;
  return `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lost: lines, msg })}\n`;
}
