// Compares the seven tables with what publishing recorded (published-periods.ts): finds rows that somebody removed, added or, if content is
// compared, altered by hand. Loads continue meanwhile.
import { groupBy } from '../core/group-by.ts';
import { sumOf } from '../core/numbers.ts';
import { addDays, type IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { hasNodes } from './citus/citus.ts';
import { lockRows } from './lock-rows.ts';
import { findUnlike, type Place, type UnlikePeriod } from './unlike-rows.ts';

/** A week that differs. Without a job: rows that name a slice unknown to the ledger. */
export type UnlikeWeek = Readonly<{
  job: string | null;
  dataset: string;
  accountId: string;
  week: IsoDate;
  expected: number;
  found: number;
  isAltered: boolean;
  isMisnamed: boolean;
  /** Slices that the rows name, as text. */
  slices: readonly string[];
}>;

export type Scope = Readonly<{ job?: string | undefined; from?: IsoDate | undefined; to?: IsoDate | undefined }>;
export type Verification = Readonly<{ weeks: number; differences: readonly UnlikeWeek[] }>;

type CountedPlace = Place & Readonly<{ weeks: number }>;

/**
 * Compares all published weeks of the scope, newest months first: row counts only, or the content as well. `onPlace` gets the number of
 * remaining places. Throws StoreError, the signal's reason.
 */
export async function verifyTables(
  pool: Pool,
  { job, from, to }: Scope,
  { isDeep, signal, onPlace }: Readonly<{ isDeep: boolean; signal: AbortSignal; onPlace: (left: number) => void }>,
): Promise<Verification> {
  const find = (client: Client): Promise<CountedPlace[]> => readRows(client, 'periods/find-places', { job, from, to });
  const places = await inTransaction(pool, find, { signal, isReadOnly: true });
  const differences: UnlikeWeek[] = [];
  for (const [index, place] of places.entries()) {
    signal.throwIfAborted();
    const unlike = await comparePlace(pool, place, { isDeep, signal });
    const wanted = unlike.filter((each) => (each.job === null || job === undefined ? !each.isRemoved : each.job === job));
    differences.push(...weeksOf(place, wanted));
    onPlace(places.length - index - 1);
  }
  return { weeks: sumOf(places, ({ weeks }) => weeks), differences: differences.filter((each) => isWithin(each, { from, to })) };
}

const isWithin = ({ week }: UnlikeWeek, { from, to }: Scope): boolean =>
  (from === undefined || addDays(week, 6) >= from) && (to === undefined || week <= to);

function weeksOf({ dataset, accountId }: Place, unlike: readonly UnlikePeriod[]): UnlikeWeek[] {
  return [...groupBy(unlike, ({ job, week }) => JSON.stringify([job, week])).values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const [expected, found] = [sumOf(own, (each) => each.expected), sumOf(own, (each) => each.found)];
    const slices = [...new Set(own.map(({ sliceId }) => sliceId))];
    const isMisnamed = own.some((each) => each.isMisnamed);
    return [{ job: first.job, dataset, accountId, week: first.week, expected, found, isAltered: expected === found, isMisnamed, slices }];
  });
}

type Comparing = Readonly<{
  isDeep: boolean;
  signal: AbortSignal;
  /** Records the findings in the transaction that made them; without it nothing is recorded. */
  note?: (client: Client, unlike: readonly UnlikePeriod[]) => Promise<void>;
}>;

/**
 * The rows of a place that are not as published, in one snapshot of the database. Throws StoreError, also when `note` would overwrite what a
 * publication has written meanwhile.
 */
export async function comparePlace(pool: Pool, place: Place, { isDeep, signal, note }: Comparing): Promise<readonly UnlikePeriod[]> {
  const compare = async (client: Client): Promise<Readonly<{ unlike: UnlikePeriod[]; isSure: boolean }>> => {
    const unlike = await findUnlike(client, place, isDeep);
    const isSure = unlike.length === 0 || !(await hasNodes(client));
    if (isSure) await note?.(client, unlike);
    return { unlike, isSure };
  };
  const { unlike, isSure } = await inTransaction(pool, compare, { signal, isSnapshot: true, isReadOnly: note === undefined });
  if (isSure) return unlike;
  // The nodes of a cluster commit a moment after the coordinator, so publishing is locked out while the place is checked again.
  const { dataset, accountId, from, to } = place;
  const look = async (client: Client): Promise<UnlikePeriod[]> => {
    await lockRows(client, { name: dataset }, { accountId, windowStart: from, windowEnd: to });
    const found = await findUnlike(client, place, isDeep);
    await note?.(client, found);
    return found;
  };
  return inTransaction(pool, look, { signal });
}
