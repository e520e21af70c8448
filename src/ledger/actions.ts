// What people did by hand. Each entry is written in the transaction of its action, so that entries and actions always match.
import type { IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, execute, readRows } from '../postgres/statements.ts';

/** The person who does something, and the reason. */
export type Actor = Readonly<{
  /** `user@host` of the command line, or the name given on the pages. */
  name: string;
  reason?: string | null | undefined;
}>;

/** For actions that no person takes. */
export const NOBODY: Actor = { name: 'searchmill' };

/** Maximum characters of a reason and of a name; the table `actions` has the same limits. */
export const LONGEST_REASON = 200;

export type Action = DescribedRow<'actions/read'>;
export type ActionName = Action['action'];

const signed = ({ name, reason }: Actor) => ({ actor: name.slice(0, LONGEST_REASON), reason: reason || null });

/** Notes an action for executions. Run it in the transaction of the action. Throws StoreError. */
export async function noteForExecutions(
  client: Client,
  action: ActionName,
  by: Actor,
  executions: readonly Readonly<{ id: number }>[],
): Promise<void> {
  const executionIds = executions.map(({ id }) => id);
  if (executionIds.length > 0) await execute(client, 'actions/insert-for-executions', { action, ...signed(by), executionIds });
}

type About = Readonly<{
  account?: string | null;
  job?: string;
  connection?: string;
  windowStart?: IsoDate | undefined;
  windowEnd?: IsoDate | undefined;
}>;

/** Notes an action. Run it in the transaction of the action. Throws StoreError. */
export async function noteAction(client: Client, action: ActionName, by: Actor, about: About): Promise<void> {
  const { account, job, connection, windowStart, windowEnd } = about;
  await execute(client, 'actions/insert', { action, ...signed(by), account, job, connection, windowStart, windowEnd });
}

/** Actions on a job and its connection, newest first; with `day`, only for windows that contain it. Throws StoreError. */
export const readActions = (
  db: Pool | Client,
  job: string,
  { day, maxRows }: { day?: IsoDate | undefined; maxRows: number },
): Promise<Action[]> => readRows(db, 'actions/read', { job, day, maxRows });
