// Answers in files, whatever their size.

import { BodySink, SpooledBody } from '../../src/codec/body-sink.ts';
import type { SpooledRows } from '../../src/codec/page-rows.ts';
import { splitSpooled } from '../../src/codec/split-spooled.ts';

/** A body in a file. */
export function spool(bytes: Buffer): SpooledBody {
  const sink = new BodySink(undefined, 0);
  sink.write(bytes);
  const body = sink.finish();
  if (!(body instanceof SpooledBody)) throw new Error('the body stayed in memory');
  return body;
}

/** Rows in a file, each a part of its own; undefined when there are none. */
export async function spoolRows(rows: readonly unknown[]): Promise<SpooledRows | undefined> {
  return (await splitSpooled(spool(Buffer.from(JSON.stringify({ results: rows }))), 1))?.rows;
}
