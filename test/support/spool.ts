// Answers in files, whatever their size.
import { readdirSync, readlinkSync } from 'node:fs';
import { BodySink, SpooledBody } from '../../src/codec/body-sink.ts';
import { BufferPool } from '../../src/codec/buffer-pool.ts';
import type { SpooledRows } from '../../src/codec/page-rows.ts';
import { type SplitSpooled, splitSpooled } from '../../src/codec/split-spooled.ts';

const buffers = new BufferPool();

/** How many files of a folder this process has open, also those without a name. */
export function countOpenFiles(folder: string): number {
  const readLink = (file: string): string => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`);
    } catch {
      return '';
    }
  };
  return readdirSync('/proc/self/fd').filter((file) => readLink(file).startsWith(folder)).length;
}

/** A body in a file. */
export function spool(bytes: Buffer): SpooledBody {
  const sink = new BodySink(buffers, 0);
  sink.write(bytes);
  const body = sink.finish();
  if (!(body instanceof SpooledBody)) throw new Error('the body stayed in memory');
  return body;
}

/** Splits an answer in a file, in parts of about `partBytes` bytes. */
export const splitInParts = (body: SpooledBody, partBytes?: number): Promise<SplitSpooled | undefined> => splitSpooled(body, partBytes);

/** Rows in a file, each a part of its own; undefined when there are none. */
export async function spoolRows(rows: readonly unknown[]): Promise<SpooledRows | undefined> {
  return (await splitInParts(spool(Buffer.from(JSON.stringify({ results: rows }))), 1))?.rows;
}
