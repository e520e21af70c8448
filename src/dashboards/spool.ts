// A file between one who writes fast and one who reads slowly, so that the writer is done with what it holds, such as a connection, long before
// the reader is. It has no name, so nothing is left of it when the process dies.
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KIBIBYTE, MEBIBYTE } from '../core/byte-sizes.ts';

/** How far the writer may be ahead: the disk is not filled by a reader that does not read. */
export const MAX_AHEAD_BYTES = 256 * MEBIBYTE;
const CHUNK_BYTES = 64 * KIBIBYTE;
const CHANGE = 'change';

export type SpoolOptions = Readonly<{
  maxAheadBytes?: number | undefined;
  /** Called when the writer has waited this long for the reader. */
  maxIdleMs: number;
  onIdle: () => void;
}>;

export type Spool = Readonly<{
  /** Appends to the file; waits while the writer is too far ahead. */
  write: (text: string) => Promise<void>;
  /** Nothing more is written: because of an error, which the reader gets, or because that was all. */
  end: (error?: Error) => void;
  /** What is written, as it comes. Closes the file in the end, also when it is left early. */
  read: () => AsyncGenerator<Buffer>;
}>;

export async function openSpool({ maxAheadBytes = MAX_AHEAD_BYTES, maxIdleMs, onIdle }: SpoolOptions): Promise<Spool> {
  const file = await openNameless();
  const changes = new EventEmitter();
  const state = {
    written: 0,
    read: 0,
    isBegun: false as boolean,
    isClosed: false as boolean,
    isEnded: false as boolean,
    failure: undefined as Error | undefined,
  };

  async function close(): Promise<void> {
    if (state.isClosed) return;
    state.isClosed = true;
    changes.emit(CHANGE);
    await file.close();
  }

  async function waitForReader(): Promise<void> {
    while (state.written - state.read > maxAheadBytes && !state.isClosed && !state.isEnded) {
      const timer = setTimeout(onIdle, maxIdleMs);
      await once(changes, CHANGE);
      clearTimeout(timer);
    }
  }

  return {
    async write(text) {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length && !state.isClosed; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, state.written);
        done += bytesWritten;
        state.written += bytesWritten;
      }
      changes.emit(CHANGE);
      await waitForReader();
    },
    end(error) {
      state.isEnded = true;
      state.failure = error;
      changes.emit(CHANGE);
      // A reader that has not begun is told of the error without reading, and ends nothing.
      if (error && !state.isBegun) close().catch(() => undefined);
    },
    async *read() {
      state.isBegun = true;
      try {
        for (;;) {
          if (state.failure) throw state.failure;
          const left = state.written - state.read;
          if (left > 0) {
            const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left)), { position: state.read });
            state.read += bytesRead;
            changes.emit(CHANGE);
            yield buffer.subarray(0, bytesRead);
          } else if (state.isEnded) return;
          else await once(changes, CHANGE);
        }
      } finally {
        await close();
      }
    },
  };
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `searchmill-csv-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
