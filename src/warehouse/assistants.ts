// What assistants may query in the warehouse (src/mcp): few statements, each bounded, with the rights of a reader.
import type { IsoDate } from '../core/weeks.ts';
import { hasNodes } from './citus/citus.ts';
import type { Client } from './pool.ts';
import { type DescribedRow, execute, readRows } from './statements.ts';

export type KnownAccount = DescribedRow<'assistants/read-accounts'>;
export type ChangedWeek = Readonly<{ cursor: number; kind: string; job: string | null; week: IsoDate }>;
type Facts = Readonly<Record<string, unknown>>;

/**
 * Drops the transaction's rights to those of a reader, if the login may assume that role. Throws StoreError.
 * On a Citus cluster the transaction keeps its rights: it would connect to the nodes as that role, which cannot log in.
 */
export async function useReaderRights(client: Client): Promise<void> {
  if (!(await hasNodes(client))) await execute(client, 'assistants/use-reader-rights');
}

export const readAccounts = (client: Client): Promise<KnownAccount[]> => readRows(client, 'assistants/read-accounts');

export const readChanges = (
  client: Client,
  about: Readonly<{ accountId: string | null; cursor: number; most: number }>,
): Promise<ChangedWeek[]> => readRows(client, 'assistants/read-changes', about);

export const readCoverageOf = (client: Client, about: Readonly<{ job: string | null; weeks: number; most: number }>): Promise<Facts[]> =>
  readRows(client, 'assistants/read-coverage', about);

export const readSearchHistory = (
  client: Client,
  about: Readonly<{ accountId: string; search: string; weeks: number; most: number }>,
): Promise<Facts[]> => readRows(client, 'assistants/read-search-history', about);

export async function knowsAccount(client: Client, accountId: string): Promise<boolean> {
  return (await readRows(client, 'assistants/knows-account', { accountId })).length > 0;
}

export type WeekOfAnswers = DescribedRow<'assistants/read-answer-weeks'>;

/** Newest first. */
export const readAnswerWeeks = (client: Client, accountId: string): Promise<WeekOfAnswers[]> =>
  readRows(client, 'assistants/read-answer-weeks', { accountId });

export type AskedAnswers = Readonly<{
  accountId: string;
  week: IsoDate;
  assistant: string | null;
  contains: string | null;
  most: number;
}>;

export const readAnswers = (client: Client, about: AskedAnswers): Promise<(Facts & Readonly<{ answer: string | null }>)[]> =>
  readRows(client, 'assistants/read-answers', about);
