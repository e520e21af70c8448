// One entry of `jobs` stands for one job, or for one per account of its account_ids. Works on values that may be wrong
// themselves, so that names are checked despite other mistakes.
import { type Path, valueAt } from './remarks.ts';

/** Most jobs that a file may make: each is planned, and has a schedule of its own. */
export const MAX_JOBS = 10_000;

/** What distinguishes the jobs of one entry. */
export type EntryJob = Readonly<{ name: string; accountId: number }>;

/** The value of an entry at `path`, else that of `defaults`. */
export function valueOrDefault(file: unknown, entry: Path, path: Path): unknown {
  return valueAt(file, [...entry, ...path]) ?? valueAt(file, ['defaults', ...path]);
}

/** The path of the account_ids of an entry: its own, else those of defaults, unless the entry has its own account_id. */
export function accountListOf(file: unknown, entry: Path): Path | undefined {
  const holder = [entry, ['defaults']].find((mapping) => has(file, mapping, 'account_id') || has(file, mapping, 'account_ids'));
  return holder && has(file, holder, 'account_ids') ? [...holder, 'account_ids'] : undefined;
}

/** How many jobs an entry makes. */
export function countJobs(file: unknown, entry: Path): number {
  const list = accountListOf(file, entry);
  const accounts = list && valueAt(file, list);
  return Array.isArray(accounts) ? accounts.length : 1;
}

/**
 * The jobs of an entry. With a list, each is named after the entry and its account, so that no name changes when an account
 * is added or removed. Invalid accounts are left out. Empty for an entry without a name.
 */
export function jobsOfEntry(file: unknown, entry: Path): EntryJob[] {
  const name = valueAt(file, [...entry, 'name']);
  if (typeof name !== 'string') return [];
  const list = accountListOf(file, entry);
  if (!list) return [{ name, accountId: Number(valueOrDefault(file, entry, ['account_id'])) }];
  const accounts: unknown = valueAt(file, list);
  const known = Array.isArray(accounts) ? accounts.filter((account): account is number => typeof account === 'number') : [];
  return known.map((accountId) => ({ name: `${name}-${accountId}`, accountId }));
}

function has(file: unknown, mapping: Path, field: string): boolean {
  return valueAt(file, [...mapping, field]) !== undefined;
}
