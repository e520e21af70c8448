// Settings of an account: own domains, competitors, aliases and names of brands, as rows of one table. Summaries follow from most of them, so a change marks
// weeks of the account, and readers leave those weeks out until they are refreshed.

import { isDeepStrictEqual } from 'node:util';
import type { Alias } from '../config/settings.ts';
import { compareText } from '../core/compare-text.ts';
import type { ReportSubject } from '../datasets/dataset.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';

/** A row of searchmill.account_settings. */
export type SettingValue = Readonly<{ kind: string; value: string; meaning: string | null }>;

/** What an account should have of a setting. */
export type AccountSetting = Readonly<{
  setting: 'own_domains' | 'competitors' | 'aliases' | 'brands';
  /** The only kind of values that it is about; without it, all of them. */
  kind?: string;
  /** The wanted values, in any order. */
  find: (client: Client, accountId: string) => Promise<readonly SettingValue[]>;
  /** What summaries follow from; by default, all values. */
  readEffect?: (client: Client, accountId: string) => Promise<unknown>;
  /** The subjects of these summaries. */
  subjects: readonly ReportSubject[];
}>;

/** A domain that occurs several times is one value. */
export const domainValues = (kind: string, domains: readonly string[]): SettingValue[] =>
  [...new Set(domains)].map((value) => ({ kind, value, meaning: null }));

/** Panels read competitors, and summaries do not. */
export const competitorsOf = (domains: readonly string[]): AccountSetting => ({
  setting: 'competitors',
  find: async () => domainValues('', domains),
  subjects: [],
});

export const aliasesOf = (aliases: readonly Alias[]): AccountSetting => ({
  setting: 'aliases',
  find: async () => aliases.map(({ kind, spelling, meaning }) => ({ kind, value: spelling, meaning })),
  subjects: ['answers', 'citations', 'sentiments', 'fan_out'],
});

/** Stores a setting of an account. Throws StoreError, or the signal's reason. */
export async function adoptSetting(pool: Pool, accountId: string, wanted: AccountSetting, signal?: AbortSignal): Promise<void> {
  const { setting, kind, subjects, readEffect = (client) => readStored(client, accountId, wanted) } = wanted;
  const replace = async (client: Client): Promise<void> => {
    if (await isAdopted(client, accountId, wanted)) return;
    await execute(client, 'reports/note-settings', { accountId });
    // Another process that held the account's lock may have stored the same, or other citations.
    if (await isAdopted(client, accountId, wanted)) return;
    const before = await readEffect(client, accountId);
    await execute(client, 'reports/delete-settings', { accountId, setting, kind: kind ?? null });
    const values = JSON.stringify(await wanted.find(client, accountId));
    await execute(client, 'reports/insert-settings', { accountId, setting, values });
    if (subjects.length > 0 && !isDeepStrictEqual(before, await readEffect(client, accountId)))
      await execute(client, 'reports/mark-account', { accountId, subjects });
  };
  await inTransaction(pool, replace, { signal });
}

/** Whether a setting is stored as it should be, as seen by this transaction. Throws StoreError. */
export async function isAdopted(client: Client, accountId: string, wanted: AccountSetting): Promise<boolean> {
  return isDeepStrictEqual(await readStored(client, accountId, wanted), inOrder(await wanted.find(client, accountId)));
}

async function readStored(client: Client, accountId: string, { setting, kind }: AccountSetting): Promise<SettingValue[]> {
  return inOrder(await readRows(client, 'reports/read-settings', { accountId, setting, kind: kind ?? null }));
}

const inOrder = (values: readonly SettingValue[]): SettingValue[] =>
  values.map((row) => ({ ...row })).toSorted((a, b) => compareText(a.kind, b.kind) || compareText(a.value, b.value));
