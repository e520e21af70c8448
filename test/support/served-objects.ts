// The rows that the sandbox served for what is published, as objects by the names of the service: values as text, null for none. For
// tests that compute figures without the database.
import { datasetNamed } from '../../src/datasets/index.ts';
import { SEARCH_IDENTITY } from '../../src/datasets/ranking-columns.ts';
import { readPublishedSlices } from './row-bags.ts';
import type { TestStack } from './test-stack.ts';

export type ServedRow = Readonly<Record<string, string | null>>;

/** All rows published of each dataset, with duplicates. */
export async function readServed({
  pool,
  sandbox,
}: Pick<TestStack, 'pool' | 'sandbox'>): Promise<ReadonlyMap<string, readonly ServedRow[]>> {
  const served = new Map<string, ServedRow[]>();
  for (const { dataset, remoteId } of await readPublishedSlices(pool)) {
    const { columns } = datasetNamed(dataset);
    const rows = Array.from(sandbox.rowsOfExecution(remoteId), (row) =>
      Object.fromEntries(columns.map(({ name, wire }, at) => [name, textOf(row[at], wire === 'string')])),
    );
    served.set(dataset, [...(served.get(dataset) ?? []), ...rows]);
  }
  return served;
}

function textOf(value: unknown, isText: boolean): string | null {
  if (value === null || value === undefined || (value === '' && !isText)) return null;
  return String(value);
}

/** The search that a ranking was found by, in whatever week. */
export const searchOf = (row: ServedRow): string =>
  JSON.stringify(SEARCH_IDENTITY.filter((name) => !name.startsWith('time_period')).map((name) => row[name]));

/** The keyword groups of a search. A name may hold a comma: only as many names as numbers are surely apart. */
export function keywordGroupsOf({ keyword_group_names, keyword_group_ids }: ServedRow): readonly string[] {
  const itemsOf = (list: string | null | undefined): string[] => (list ?? '').split(',').filter(Boolean);
  const names = itemsOf(keyword_group_names);
  return names.length === 0 || names.length === itemsOf(keyword_group_ids).length ? names : [keyword_group_names ?? ''];
}

/** The Sunday that begins the week of a day. */
export function weekOf(day: string | null | undefined): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - at.getUTCDay());
  return at.toISOString().slice(0, 10);
}
