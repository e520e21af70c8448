// Rebuilds summaries from the tables, and checks them against the tables. Loads continue meanwhile.
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, executeTemplate, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { refreshWeek } from './refresh.ts';
import { placesOf, type ReportWeek, SUMMARIES, type Summary } from './summaries.ts';

/** Which weeks: those of one account, and of summaries made from one dataset. An undefined field means all. */
export type Scope = Readonly<{ accountId?: string | undefined; dataset?: string | undefined }>;

type MarkedWeek = ReportWeek & Readonly<{ isLive: boolean }>;

/**
 * Marks all weeks of the scope, unless weeks that readers leave out are still waiting, as after an interrupted rebuild: then it resumes.
 * With `isAnew` it marks all in any case. Returns the number of weeks that wait. Throws StoreError.
 */
export async function beginRebuild(
  pool: Pool,
  { accountId, dataset }: Scope,
  isAnew: boolean,
): Promise<Readonly<{ weeks: number; isResumed: boolean }>> {
  const waiting = (await findMarked(pool, { accountId, dataset })).filter(({ isLive }) => !isLive).length;
  const isResumed = waiting > 0 && !isAnew;
  if (!isResumed) await inTransaction(pool, (client) => execute(client, 'reports/mark-all', { accountId, dataset }), UNHURRIED);
  return { weeks: isResumed ? waiting : (await findMarked(pool, { accountId, dataset })).length, isResumed };
}

/**
 * Refreshes the weeks of the scope that are marked now. A process that sweeps meanwhile may take some of them. `onWeek` receives the number
 * left. Returns the weeks that failed, which the service retries. Throws StoreError, or the signal's reason.
 */
export async function rebuild(
  pool: Pool,
  scope: Scope,
  signal: AbortSignal,
  onWeek: (left: number) => void,
): Promise<readonly ReportWeek[]> {
  const failed: ReportWeek[] = [];
  const marked = await findMarked(pool, scope);
  for (const [index, week] of marked.entries()) {
    if ((await refreshWeek(pool, week, { signal })) === 'failed') failed.push(week);
    onWeek(marked.length - index - 1);
  }
  return failed;
}

const findMarked = (pool: Pool, { accountId, dataset }: Scope): Promise<MarkedWeek[]> =>
  readRows(pool, 'reports/find-marked', { accountId, dataset });

/** A week whose stored summary differs from the computed one: rows too many, rows too few, and one of them as JSON. */
export type Difference = ReportWeek & Readonly<{ summary: Summary; surplus: number; missing: number; example: string }>;

/** `weeks`: number of known weeks. `marked`: those not compared, since readers do not use what is stored of them. */
export type Check = Readonly<{ weeks: number; marked: number; differences: readonly Difference[] }>;

/** Compares stored summaries with those computed from the tables, week by week. `onWeek` receives the number left. Throws StoreError. */
export async function checkReports(
  pool: Pool,
  { accountId, dataset }: Scope,
  onWeek: (left: number) => void = () => undefined,
): Promise<Check> {
  const find = (client: Client): Promise<ReportWeek[]> => readRows(client, 'reports/find-known', { accountId, dataset });
  const weeks = await inTransaction(pool, find, UNHURRIED);
  const differences: Difference[] = [];
  let marked = 0;
  for (const [index, week] of weeks.entries()) {
    const found = await compareWeek(pool, week);
    if (found === 'marked') marked += 1;
    else differences.push(...found);
    onWeek(weeks.length - index - 1);
  }
  return { weeks: weeks.length, marked, differences };
}

/** A signal of its own lifts the usual time limit of a transaction: scanning all partitions or computing a large week takes longer. */
const UNHURRIED = { signal: new AbortController().signal };

async function compareWeek(pool: Pool, { subject, accountId, week }: ReportWeek): Promise<'marked' | readonly Difference[]> {
  return inTransaction(
    pool,
    async (client) => {
      const { rows: marks } = await execute(client, 'reports/is-marked', { subject, accountId, week });
      if (marks[0]?.found) return 'marked';
      const differences: Difference[] = [];
      for (const summary of SUMMARIES[subject]) {
        const { rows } = await executeTemplate(client, 'reports/compare', placesOf(summary), { accountId, week });
        const { surplus = 0, missing = 0, example } = rows[0] ?? {};
        if (surplus + missing > 0) differences.push({ subject, accountId, week, summary, surplus, missing, example: example ?? '' });
      }
      return differences;
    },
    { ...UNHURRIED, isSnapshot: true, isReadOnly: true },
  );
}
