// Names of our brands and of those of rivals, as configured in the jobs of an account. Facts of prompts count the answers that have them, so a change marks
// all weeks of answers of the account, and readers leave those weeks out until they are refreshed.
import { domainToUnicode } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Brand, Job } from '../config/settings.ts';
import { bareDomain } from '../core/bare-domain.ts';
import { compareText } from '../core/compare-text.ts';
import { foldedText, namesPattern } from '../core/name-pattern.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';

/** A row of searchmill.brands. */
type Stored = Readonly<{
  ownNames: readonly string[];
  rivalNames: readonly string[];
  pattern: string;
  patterns: readonly string[];
  spellings: Readonly<Record<string, string>>;
}>;

/** What is found by any of our names: it has no name of its own. */
const OURS = '';

/** Stores the names of an account; without any, removes them. Throws StoreError, or the signal's reason. */
export async function adoptBrands(
  pool: Pool,
  accountId: string,
  jobs: readonly Pick<Job, 'ownBrands' | 'rivalBrands'>[],
  signal?: AbortSignal,
): Promise<void> {
  const wanted = storedBrands(combined(jobs.flatMap((job) => job.ownBrands)), combined(jobs.flatMap((job) => job.rivalBrands)));
  const replace = async (client: Client): Promise<void> => {
    if (await isAdopted(client, accountId, wanted)) return;
    await execute(client, 'reports/note-settings', { accountId });
    // Another process that held the account's lock may have stored the same.
    if (await isAdopted(client, accountId, wanted)) return;
    await execute(client, 'reports/delete-brands', { accountId });
    if (wanted) await execute(client, 'reports/insert-brands', { accountId, ...wanted, spellings: JSON.stringify(wanted.spellings) });
    await execute(client, 'reports/mark-account', { accountId, subjects: ['answers'] });
  };
  await inTransaction(pool, replace, { signal });
}

async function isAdopted(client: Client, accountId: string, wanted: Stored | undefined): Promise<boolean> {
  const { rows } = await execute(client, 'reports/read-brands', { accountId });
  return isDeepStrictEqual(rows[0] && { ...rows[0] }, wanted && { ...wanted });
}

/** Each name once, with the spellings of all jobs that configure it, in order. */
function combined(brands: readonly Brand[]): Brand[] {
  const spellings = new Map<string, Set<string>>();
  for (const { name, spellings: others } of brands)
    spellings.set(name, new Set([...(spellings.get(name) ?? []), ...[name, ...others].flatMap(asDomain)]));
  return [...spellings]
    .map(([name, all]) => ({ name, spellings: [...all].toSorted(compareText) }))
    .toSorted((a, b) => compareText(a.name, b.name));
}

/** A name that is a domain is found in both of its forms: münchen.example is the same as xn--mnchen-3ya.example. */
function asDomain(name: string): string[] {
  return /^[^\s./]+(\.[^\s./]+)+$/.test(name) ? [name, bareDomain(name), domainToUnicode(name) || name] : [name];
}

function storedBrands(own: readonly Brand[], rivals: readonly Brand[]): Stored | undefined {
  const voices = [
    ...(own.length > 0 ? [{ name: OURS, spellings: own.flatMap(({ spellings }) => spellings) }] : []),
    ...rivals.map(({ name, spellings }) => ({ name, spellings })),
  ];
  if (voices.length === 0) return undefined;
  const known = voices.flatMap(({ name, spellings }) =>
    spellings.flatMap((spelling) => [asciiLower(spelling), foldedText(spelling)].map((key) => [key, name] as const)),
  );
  return {
    ownNames: own.map(({ name }) => name),
    rivalNames: rivals.map(({ name }) => name),
    pattern: namesPattern(voices.flatMap(({ spellings }) => spellings)),
    patterns: voices.map(({ spellings }) => `^${namesPattern(spellings)}$`),
    spellings: Object.fromEntries(known.toSorted(([a], [b]) => compareText(a, b))),
  };
}

/** As lower() of Postgres without a locale. */
const asciiLower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
