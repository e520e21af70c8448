// Competitors configured in the jobs of an account. Panels read them and summaries do not, so a change marks no weeks.
import { isDeepStrictEqual } from 'node:util';
import { compareText } from '../core/compare-text.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';

/** Stores the competitors of an account. Throws StoreError, or the signal's reason. */
export async function adoptCompetitors(pool: Pool, accountId: string, domains: readonly string[], signal?: AbortSignal): Promise<void> {
  const wanted = [...new Set(domains)].toSorted(compareText);
  const replace = async (client: Client): Promise<void> => {
    const known = await readRows(client, 'reports/read-competitors', { accountId });
    if (
      isDeepStrictEqual(
        known.map(({ domain }) => domain),
        wanted,
      )
    )
      return;
    await execute(client, 'reports/note-settings', { accountId });
    await execute(client, 'reports/delete-competitors', { accountId, domains: wanted });
    await execute(client, 'reports/insert-competitors', { accountId, domains: wanted });
  };
  await inTransaction(pool, replace, { signal });
}
