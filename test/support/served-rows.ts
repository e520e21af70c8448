// What the sandbox served against what is in the tables, row by row with duplicates counted. Decodes by itself: the
// specification says that values are strings on the wire, and an empty one has no value in a typed column.
import { expect } from 'vitest';
import type { WireType } from '../../src/datasets/dataset.ts';
import { datasetNamed } from '../../src/datasets/index.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { WireValue } from '../../src/service/wire.ts';
import type { Mill } from './mill.ts';

const MEANING: Readonly<Record<WireType, (text: string) => string | null>> = {
  string: (text) => text,
  date: (text) => text || null,
  boolean: (text) => text || null,
  integer: (text) => (text === '' ? null : BigInt(text).toString()),
  float: (text) => (text === '' ? null : String(Number(text))),
};

type PublishedSlice = Readonly<{
  id: number;
  job: string;
  dataset: string;
  window: string;
  request: Record<string, unknown>;
  rows: number;
}>;

/**
 * Expects every published slice to have in its table exactly the rows that the sandbox serves for its submit body, and
 * the tables to have no others. Returns the slices compared. `sandboxOf` names the one that served a slice.
 */
export async function expectExactlyServed(
  mill: Mill,
  sandboxOf: (slice: PublishedSlice) => Sandbox = () => mill.sandbox,
): Promise<readonly PublishedSlice[]> {
  const slices = await mill.read<PublishedSlice>(`
    SELECT s.id, s.job, s.dataset, s.window_start || '..' || s.window_end AS window, e.request, s.published_rows AS rows
      FROM searchmill.slices s JOIN searchmill.executions e ON e.id = s.published_execution_id ORDER BY s.id`);
  for (const slice of slices) {
    const difference = compareBags(servedBy(sandboxOf(slice), slice), await publishedAs(mill, slice));
    expect(difference, `${slice.job} ${slice.window}`).toEqual({ missing: [], surplus: [] });
  }
  for (const dataset of new Set(slices.map((slice) => slice.dataset))) {
    const own = slices.filter((slice) => slice.dataset === dataset);
    const [table] = await mill.read<{ rows: number }>(`SELECT count(*) AS rows FROM search.${dataset}`);
    expect(table?.rows, dataset).toBe(own.reduce((sum, slice) => sum + slice.rows, 0));
  }
  return slices;
}

function servedBy(sandbox: Sandbox, { dataset: name, request }: PublishedSlice): string[] {
  const { columns } = datasetNamed(name);
  const decode = (value: WireValue | undefined, position: number): string | null => {
    const column = columns[position];
    if (column === undefined || value === undefined) throw new Error(`the sandbox served a row of another length for ${name}`);
    return value === null ? null : MEANING[column.wire](String(value));
  };
  return Array.from(sandbox.rowsOf(name, request), (row) => JSON.stringify(columns.map((_, position) => decode(row[position], position))));
}

async function publishedAs(mill: Mill, { dataset: name, id }: PublishedSlice): Promise<string[]> {
  const { columns } = datasetNamed(name);
  const { rows } = await mill.pool.query<(string | null)[]>({
    text: `SELECT ${columns.map((column) => `${column.name}::text`).join(', ')} FROM search.${name} WHERE _slice = $1`,
    values: [id],
    rowMode: 'array',
  });
  return rows.map((row) =>
    JSON.stringify(row.map((value, position) => (value !== null && columns[position]?.wire === 'float' ? String(Number(value)) : value))),
  );
}

const MOST_SHOWN = 3;

/** What one bag has more of than the other; a few of each. */
function compareBags(expected: readonly string[], actual: readonly string[]): { missing: string[]; surplus: string[] } {
  const balance = new Map<string, number>();
  for (const row of expected) balance.set(row, (balance.get(row) ?? 0) + 1);
  for (const row of actual) balance.set(row, (balance.get(row) ?? 0) - 1);
  const off = (sign: 1 | -1): string[] => [...balance].filter(([, count]) => count * sign > 0).map(([row, count]) => `${count} x ${row}`);
  return { missing: off(1).slice(0, MOST_SHOWN), surplus: off(-1).slice(0, MOST_SHOWN) };
}
