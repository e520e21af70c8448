// What the sandbox serves and what a table holds, as bags of rows that can be compared: duplicates counted, order ignored.
// Decodes by itself: the specification says that values are strings on the wire, and an empty one has no value in a typed
// column.

import type { Sandbox } from '../../sandbox/server.ts';
import type { WireType } from '../../src/datasets/dataset.ts';
import { datasetNamed } from '../../src/datasets/index.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import type { WireRow, WireValue } from '../../src/service/wire.ts';

const MEANING: Readonly<Record<WireType, (text: string) => string | null>> = {
  string: (text) => text,
  date: (text) => text || null,
  boolean: (text) => text || null,
  integer: (text) => (text === '' ? null : BigInt(text).toString()),
  float: (text) => (text === '' ? null : String(Number(text))),
};

/** A published slice and the submit body its rows came from. */
export type PublishedSlice = Readonly<{
  id: number;
  job: string;
  dataset: string;
  window: string;
  request: Record<string, unknown>;
  /** The service's executionId of the execution that is published. */
  remoteId: string;
  rows: number;
}>;

export async function readPublishedSlices(pool: Pool): Promise<PublishedSlice[]> {
  const { rows } = await pool.query<PublishedSlice>(`
    SELECT s.id, s.job, s.dataset, s.window_start || '..' || s.window_end AS window, e.request, e.remote_execution_id AS "remoteId", s.published_rows AS rows
      FROM searchmill.slices s JOIN searchmill.executions e ON e.id = s.published_execution_id ORDER BY s.id`);
  return rows;
}

/** The rows that the sandbox would serve now for a slice's submit body. */
export function servedBy(sandbox: Pick<Sandbox, 'rowsOf'>, { dataset, request }: PublishedSlice): string[] {
  return readRows(dataset, sandbox.rowsOf(dataset, request));
}

/** The rows that were to be published of the execution that a slice is published from, whatever has changed since. */
export function servedTo(sandbox: Pick<Sandbox, 'rowsOfExecution'>, { dataset, remoteId }: PublishedSlice): string[] {
  return readRows(dataset, sandbox.rowsOfExecution(remoteId));
}

function readRows(name: string, rows: Iterable<WireRow>): string[] {
  const { columns } = datasetNamed(name);
  const decode = (value: WireValue | undefined, position: number): string | null => {
    const column = columns[position];
    if (column === undefined || value === undefined) throw new Error(`the sandbox served a row of another length for ${name}`);
    return value === null ? null : MEANING[column.wire](String(value));
  };
  return Array.from(rows, (row) => JSON.stringify(columns.map((_, position) => decode(row[position], position))));
}

/** The rows of a slice that are in its table. */
export async function publishedAs(pool: Pool, { dataset: name, id }: PublishedSlice): Promise<string[]> {
  const { columns } = datasetNamed(name);
  const { rows } = await pool.query<(string | null)[]>({
    text: `SELECT ${columns.map((column) => `${column.name}::text`).join(', ')} FROM search.${name} WHERE _slice = $1`,
    values: [id],
    rowMode: 'array',
  });
  return rows.map((row) =>
    JSON.stringify(row.map((value, position) => (value !== null && columns[position]?.wire === 'float' ? String(Number(value)) : value))),
  );
}

export type BagDifference = Readonly<{ missing: readonly string[]; surplus: readonly string[] }>;

/** What one bag has more of than the other; each entry says how often. */
export function compareBags(expected: readonly string[], actual: readonly string[]): BagDifference {
  const balance = new Map<string, number>();
  for (const row of expected) balance.set(row, (balance.get(row) ?? 0) + 1);
  for (const row of actual) balance.set(row, (balance.get(row) ?? 0) - 1);
  const off = (sign: 1 | -1): string[] =>
    [...balance].filter(([, count]) => count * sign > 0).map(([row, count]) => `${Math.abs(count)} x ${row}`);
  return { missing: off(1), surplus: off(-1) };
}
