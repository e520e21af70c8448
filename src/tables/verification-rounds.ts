// A running service counts the rows of the tables continuously, a few periods at a time: the newest weeks within an hour, all within a day.
// Counting reads the primary key only. A difference is noted with the period, and becomes a problem (rows-differ).
import { HOUR, MINUTE } from '../core/clock.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, execute, readRows } from '../postgres/statements.ts';
import { codeOf } from '../postgres/store-errors.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Place, UnlikePeriod } from './unlike-rows.ts';
import { comparePlace } from './verification.ts';

export const VERIFY_EVERY_MS = 5 * MINUTE;
/** A period is counted again when its last count is this old; the rest of the hour and of the day is left for the rounds themselves. */
export const VERIFIED_AGES = { newestAgeMs: 45 * MINUTE, ageMs: 20 * HOUR };
/** Share of the non-urgent rows counted per round: all of them in half a day. */
const ROUND_BOUNDS = { share: (2 * VERIFY_EVERY_MS) / (24 * HOUR), minRows: 1_000_000 };

/** Weeks of a job whose rows in the table differ from what was published, according to the last count. */
export type UnlikeWeeks = DescribedRow<'periods/read-unlike'>;

/** Throws StoreError. */
export const readUnlikeWeeks = (pool: Pool, job?: string): Promise<UnlikeWeeks[]> => readRows(pool, 'periods/read-unlike', { job });

/**
 * Counts the rows of the periods that are due and notes differences. Returns the number of places compared; 0 also while another process
 * looks for due ones. Throws StoreError.
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
        // A publication wrote the period meanwhile, and recorded what it wrote.
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
