// Aliases: different spellings of one thing, as configured in jobs.config.yaml. Summaries of AI search store the meaning, so a change marks
// all their weeks of the account, and readers leave those weeks out until they are refreshed.

import { isDeepStrictEqual } from 'node:util';
import type { Alias } from '../config/settings.ts';
import { compareText } from '../core/compare-text.ts';
import type { ReportSubject } from '../datasets/dataset.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';

/** The subjects whose summaries use aliases. */
const SPELLED: readonly ReportSubject[] = ['answers', 'citations', 'sentiments', 'fan_out'];

/** Stores the aliases of an account. Throws StoreError, or the signal's reason. */
export async function adoptAliases(pool: Pool, accountId: string, aliases: readonly Alias[], signal?: AbortSignal): Promise<void> {
  const wanted = aliases.toSorted((a, b) => compareText(a.kind, b.kind) || compareText(a.spelling, b.spelling));
  const replace = async (client: Client): Promise<void> => {
    if (await isAdopted(client, accountId, wanted)) return;
    await execute(client, 'reports/note-settings', { accountId });
    // Another process that held the account's lock may have stored the same.
    if (await isAdopted(client, accountId, wanted)) return;
    await execute(client, 'reports/delete-aliases', { accountId });
    await execute(client, 'reports/insert-aliases', {
      accountId,
      kinds: wanted.map(({ kind }) => kind),
      spellings: wanted.map(({ spelling }) => spelling),
      meanings: wanted.map(({ meaning }) => meaning),
    });
    await execute(client, 'reports/mark-account', { accountId, subjects: SPELLED });
  };
  await inTransaction(pool, replace, { signal });
}

async function isAdopted(client: Client, accountId: string, wanted: readonly Alias[]): Promise<boolean> {
  return isDeepStrictEqual(await readRows(client, 'reports/read-aliases', { accountId }), wanted);
}
