// A running service counts the rows of the tables by itself, a few periods at a time: of the newest weeks within the hour, of all within a day.
// Counting reads the primary key only. What differs is noted with the period, and becomes a problem (rows-differ).
import { HOUR, MINUTE } from '../core/clock.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from './pool.ts';
import { execute, readRows } from './statements.ts';
import { codeOf } from './store-errors.ts';
import { inTransaction } from './transaction.ts';
import type { Place, UnlikePeriod } from './unlike-rows.ts';
import { comparePlace } from './verification.ts';

export const VERIFY_EVERY_MS = 5 * MINUTE;
/** A period is counted again when its last time is so long ago; what is left of the hour and the day is for the rounds themselves. */
export const VERIFIED_AGES = { newestAgeMs: 45 * MINUTE, ageMs: 20 * HOUR };
/** Of the rows that are not urgent, so many a round: all of them in half a day. */
const ROUND_BOUNDS = { share: (2 * VERIFY_EVERY_MS) / (24 * HOUR), minRows: 1_000_000 };

/** Weeks of a job whose rows in the table are others than were published, as they were last counted. */
export type UnlikeWeeks = Readonly<{
  job: string;
  weeks: number;
  first: IsoDate;
  last: IsoDate;
  expected: number;
  found: number;
  since: Date;
}>;

/** Throws StoreError. */
export const readUnlikeWeeks = (pool: Pool, job?: string): Promise<UnlikeWeeks[]> => readRows(pool, 'periods/read-unlike', { job });

/**
 * Counts the rows of the periods that are due and notes what differs; of several processes one at a time. Returns how many periods it was.
 * Throws StoreError.
 */
export async function verifyDue(
  pool: Pool,
  signal: AbortSignal,
  { ageMs, newestAgeMs }: Readonly<typeof VERIFIED_AGES> = VERIFIED_AGES,
): Promise<number> {
  const findDue = async (client: Client): Promise<Place[]> => {
    const [turn] = await readRows(client, 'periods/take-turn');
    return turn?.isMine ? readRows(client, 'periods/find-due', { newestAgeMs, ageMs, ...ROUND_BOUNDS }) : [];
  };
  const due = await inTransaction(pool, findDue, { signal });
  for (const place of due) {
    if (signal.aborted) break;
    await comparePlace(pool, place, { isDeep: false, signal, note: (client, unlike) => noteChecked(client, place, unlike) }).catch(
      (error: unknown) => {
        // It was published meanwhile, and is as published.
        if (codeOf(error) !== SERIALIZATION_FAILURE) throw error;
      },
    );
  }
  return due.length;
}

const SERIALIZATION_FAILURE = '40001';

async function noteChecked(client: Client, { dataset, accountId, from, to }: Place, unlike: readonly UnlikePeriod[]): Promise<void> {
  const found = unlike.map(({ sliceId, period, found }) => ({ slice: sliceId, period, found }));
  await execute(client, 'periods/note-checked', { dataset, accountId, from, to, unlike: JSON.stringify(found) });
}
