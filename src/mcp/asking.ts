// How a tool queries the database: in one read-only snapshot transaction, with a reader's rights, with a time limit, and a few at once.
import { SECOND } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { describeError } from '../core/errors.ts';
import type { Board } from '../dashboards/boards.ts';
import { inSnapshot } from '../dashboards/run-panels.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { asStoreError } from '../postgres/store-errors.ts';
import { useReaderRights } from './assistants.ts';
import { type DataAnswer, refusal } from './data-answer.ts';

const MAX_TOOL_MS = 30 * SECOND;
const MAX_AT_ONCE = 4;

export type Asking = Readonly<{
  pool: Pool;
  boards: readonly Board[];
  /** Runs `read` in one snapshot of the database. Returns a refusal in words if it fails, takes too long, or too many calls run. */
  answer: (read: (client: Client) => Promise<DataAnswer>) => Promise<DataAnswer>;
  /** The same without a transaction and time limit, for work that reads by itself. */
  guard: (work: () => Promise<DataAnswer>) => Promise<DataAnswer>;
}>;

/** Create one per process and share it between servers, so that the limit on calls covers all of them. */
export function createAsking(pool: Pool, boards: readonly Board[]): Asking {
  let underWay = 0;
  const guard: Asking['guard'] = async (work) => {
    if (underWay >= MAX_AT_ONCE) return refusal('Too many calls at once. Try again in a few seconds.');
    underWay += 1;
    try {
      return await work();
    } catch (error) {
      return refusal('This cannot be answered right now.', { error: describeError(asStoreError(error)) });
    } finally {
      underWay -= 1;
    }
  };
  return {
    pool,
    boards,
    guard,
    answer: (read) =>
      guard(async () => {
        using deadline = openDeadline(MAX_TOOL_MS);
        return inSnapshot(
          pool,
          async (client) => {
            await useReaderRights(client);
            return read(client);
          },
          deadline.signal,
        );
      }),
  };
}
