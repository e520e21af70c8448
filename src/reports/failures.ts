// Weeks whose summaries cannot be computed, for the status.
import type { IsoDate } from '../core/weeks.ts';
import type { ReportSubject } from '../datasets/dataset.ts';
import type { Pool } from '../postgres/pool.ts';
import { execute } from '../postgres/statements.ts';

/** Weeks of an account that dashboards leave out because their refresh fails. */
export type FailingReports = Readonly<{
  subject: ReportSubject;
  accountId: string;
  weeks: number;
  firstWeek: IsoDate;
  lastWeek: IsoDate;
  failedAt: Date;
  error: string;
}>;

/** Throws StoreError. */
export async function readFailingReports(pool: Pool): Promise<FailingReports[]> {
  return (await execute(pool, 'reports/read-failures')).rows;
}
