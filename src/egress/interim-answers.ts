// Removes unrequested interim answers (1xx) that a gateway sends before the final one. undici drops a connection at a `100 Continue` it did
// not ask for, although RFC 9110 (15.2) requires a client to parse and discard them; so they are removed from the bytes before undici reads
// them. docs/decisions/0020-interim-answers.md gives the reasons for this place.
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { KIBIBYTE } from '../core/byte-sizes.ts';

/** Services send one or two. A flood would hold a call and keep the thread busy for nothing. */
const MAX_INTERIM_ANSWERS = 20;
const MAX_INTERIM_BYTES = 16 * KIBIBYTE;
/** The bytes needed to recognize an interim answer: `HTTP/1.1 1`, but not 101. */
const BEGINNING = /^HTTP\/1\.\d 1(?!01)/;
const LONGEST_BEGINNING = 'HTTP/1.1 1xx'.length;
const END_OF_HEAD = '\r\n\r\n';

/** Ends a connection whose server keeps sending interim answers. */
export class InterimFloodError extends Error {
  readonly code = 'INTERIM_FLOOD';
}

/** Wraps a connector of undici so that its connections drop interim answers. */
export function withoutInterim(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...result) => {
      if (result[1]) discardInterim(result[1]);
      callback(...result);
    });
}

/** Makes reads of the socket skip interim answers. Each write, and a request is one, is followed by one final answer. */
function discardInterim(socket: Socket): void {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  let filter = new InterimFilter();
  socket.write = ((...args: Parameters<typeof write>) => {
    filter = new InterimFilter();
    return write(...args);
  }) as typeof socket.write;
  socket.read = (size?: number) => {
    for (let chunk: Buffer | null = read(size); chunk !== null; chunk = read(size)) {
      try {
        const rest = filter.pass(chunk);
        if (rest.length > 0) return rest;
      } catch (error) {
        socket.destroy(error instanceof Error ? error : undefined);
        return null;
      }
    }
    return null;
  };
}

/** Passes the bytes of one answer without the interim answers before it. */
export class InterimFilter {
  #held: Buffer = Buffer.alloc(0);
  #isFinal: boolean = false;
  #answers = 0;
  #bytes = 0;

  /** The part of the next bytes known to belong to the final answer. @throws InterimFloodError. */
  pass(chunk: Buffer): Buffer {
    if (this.#isFinal) return chunk;
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (;;) {
      const beginning = this.#held.toString('latin1', 0, LONGEST_BEGINNING);
      if (beginning.length < LONGEST_BEGINNING && 'HTTP/1.'.startsWith(beginning.slice(0, 7))) return Buffer.alloc(0);
      if (!BEGINNING.test(beginning)) return this.#endWith(this.#held);
      const end = this.#held.indexOf(END_OF_HEAD);
      this.#count(end === -1 ? this.#held.length : end, end !== -1);
      if (end === -1) return Buffer.alloc(0);
      this.#held = this.#held.subarray(end + END_OF_HEAD.length);
    }
  }

  #endWith(rest: Buffer): Buffer {
    this.#isFinal = true;
    this.#held = Buffer.alloc(0);
    return rest;
  }

  #count(bytes: number, isWhole: boolean): void {
    if (isWhole) {
      this.#answers += 1;
      this.#bytes += bytes;
    }
    if (this.#answers > MAX_INTERIM_ANSWERS || this.#bytes + (isWhole ? 0 : bytes) > MAX_INTERIM_BYTES)
      throw new InterimFloodError('nothing but interim answers (1xx) came');
  }
}
