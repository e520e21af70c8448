// What assistants may query in the warehouse (src/mcp): few statements, each bounded, with the rights of a reader.
import type { IsoDate } from '../core/weeks.ts';
import type { Client } from '../postgres/pool.ts';
import { type DescribedRow, execute, readRows } from '../postgres/statements.ts';
import { hasNodes } from '../tables/citus/citus.ts';

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
  about: Readonly<{ accountId: string | null; cursor: number; before: number | null; most: number }>,
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
  topic: string | null;
  contains: string | null;
  most: number;
}>;

export const readAnswers = (client: Client, about: AskedAnswers): Promise<(Facts & Readonly<{ answer: string | null }>)[]> =>
  readRows(client, 'assistants/read-answers', about);

export type TrackedName = DescribedRow<'assistants/list-tracked'>;
export const TRACKED_KINDS = ['searches', 'prompts', 'topics', 'assistants', 'engines', 'countries', 'devices'] as const;
type AskedNames = Readonly<{
  accountId: string;
  kind: (typeof TRACKED_KINDS)[number];
  week: IsoDate | null;
  /** Only names that contain this text, whatever its case; null for all. */
  contains: string | null;
  most: number;
}>;

/** Names that an account tracks, of a week or of the newest published one, in alphabetical order. */
export const listTracked = (client: Client, about: AskedNames): Promise<TrackedName[]> =>
  readRows(client, 'assistants/list-tracked', about);
