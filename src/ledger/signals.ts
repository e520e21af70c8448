// Signals in the ledger: what rules found in weeks of accounts, and the data their looks were based on.
import type { IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, execute, readRows } from '../postgres/statements.ts';

export type Signal = Readonly<{ accountId: string; week: IsoDate; rule: string; title: string; text: string }> &
  Readonly<{ id: string; subject: string; about: Readonly<Record<string, string | null>>; place: number; foundAt: Date }>;
/** Why a rule says nothing about a week. */
export type Silence = DescribedRow<'signals/read-silences'>;

/** A rule as stored in the ledger. `digest` covers the rule and its thresholds. */
export type KnownRule = Readonly<{
  name: string;
  place: number;
  title: string;
  datasets: readonly string[];
  weeks: number;
  digest: string;
}>;
export type DueLook = DescribedRow<'signals/find-stale'>;
export type Finding = Readonly<{ subject: string; text: string; weight: string; about: unknown }>;

/** Due looks: among the `most` newest weeks of each account, those for which the data or the rule has changed since the last look. */
export const findDueLooks = (db: Pool | Client, rules: readonly KnownRule[], most: number): Promise<DueLook[]> =>
  readRows(db, 'signals/find-stale', { rules: JSON.stringify(rules), most, accountId: null, week: null });

/** Whether the look is still due for the same reason, in the database snapshot of `client`. */
export async function isStillDue(client: Client, { accountId, week, basis }: DueLook, rule: KnownRule, most: number): Promise<boolean> {
  const due: DueLook[] = await readRows(client, 'signals/find-stale', { rules: JSON.stringify([rule]), most, accountId, week });
  return due[0]?.basis === basis;
}

/** Whether this process should look; no other process does until the transaction ends. */
export async function takeSignalsTurn(client: Client): Promise<boolean> {
  return (await execute(client, 'signals/take-turn')).rows[0]?.found === true;
}

/** Records what a look found: signals, or the reason why nothing can be said, which removes no signals. */
export async function writeLook(client: Client, look: DueLook, rule: KnownRule, found: readonly Finding[] | string): Promise<void> {
  const { accountId, week, basis, cursor } = look;
  const { name, place, title, datasets, weeks } = rule;
  const silence = typeof found === 'string' ? found : null;
  await execute(client, 'signals/write-look', { accountId, week, rule: name, place, title, datasets, weeks, basis, cursor, silence });
  if (typeof found !== 'string') {
    await execute(client, 'signals/write-found', { accountId, week, rule: name, found: JSON.stringify(found) });
  }
  await execute(client, 'signals/note-figures', { accountId });
}

export async function forgetLooks(client: Client, rules: readonly string[]): Promise<void> {
  await execute(client, 'signals/forget', { rules });
}

/** Signals of a week, or of the newest week that rules have looked at. */
export const readSignals = (db: Pool | Client, accountId: string | null, week: IsoDate | null): Promise<Signal[]> =>
  readRows(db, 'signals/read', { accountId, week });

export const readSilences = (db: Pool | Client, accountId: string | null, week: IsoDate | null): Promise<Silence[]> =>
  readRows(db, 'signals/read-silences', { accountId, week });

/** Whether a rule has looked at the week for any account; with null, at any week. */
export async function hasLooked(db: Pool | Client, week: IsoDate | null): Promise<boolean> {
  return (await execute(db, 'signals/has-looked', { week })).rows[0]?.found === true;
}
