// Pages that tests ask for, and their rows as JSON has them.
import { areSpooled, closeRows, type PageRows, rowAt as rowInMemory, type SpooledRows } from '../../src/codec/page-rows.ts';
import type { PagesWanted } from '../../src/service/pages.ts';

/** All pages of an execution, from its first. */
export const WANTED: PagesWanted = {
  dataset: { name: 'keyword_rankings' },
  executionId: 'e1',
  cursor: null,
  rowsBefore: 0,
  pageSize: 500,
  call: { priority: 3, context: { job: 'acme' } },
};

/** Row `index`, from 0, of a page of some rows: such are always in memory. */
export function rowAt(rows: PageRows | SpooledRows, index: number): unknown {
  if (areSpooled(rows)) throw new Error('these rows are in a file');
  return rowInMemory(rows, index);
}

/** All rows of a page, which are closed. Pages of more than 64 KB are in a file while the pool is full of what other tests left. */
export async function readRows(rows: PageRows | SpooledRows): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const part of areSpooled(rows) ? rows.parts() : [rows]) {
    for (let at = 0; at < part.length; at += 1) read.push(rowInMemory(part, at));
  }
  closeRows(rows);
  return read;
}
