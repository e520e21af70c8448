// A column that somebody promoted (docs/operations.md), and that this release knows by itself.
import type pg from 'pg';
import { DATASETS, type KnownDataset } from '../../datasets/index.ts';
import { execute, readRows } from '../statements.ts';

/**
 * Marks promoted columns that this release knows by itself, at a migration: it writes them itself, and the key counts only where processes of an
 * older release bring it.
 */
export async function adoptPromotions(
  client: pg.Client,
  datasets: readonly Pick<KnownDataset, 'name' | 'columns'>[] = DATASETS,
): Promise<void> {
  const [promotions] = await readRows(client, 'promotions/exists');
  if (!promotions?.found) return;
  const known = datasets.flatMap(({ name, columns }) => columns.map((column) => ({ dataset: name, column: column.name })));
  const adopted = await readRows(client, 'promotions/adopt', { known: JSON.stringify(known) });
  for (const dataset of new Set(adopted.map((each) => each.dataset))) await execute(client, 'promotions/apply', { dataset });
}
