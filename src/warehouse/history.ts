// The restatement history: what each publication changed.
import type { IsoDate } from '../core/weeks.ts';
import type { LoadReason } from './executions.ts';
import type { Pool } from './pool.ts';
import { execute } from './statements.ts';

export type PastPublication = Readonly<{
  publishedAt: Date;
  sliceId: number;
  windowStart: IsoDate;
  windowEnd: IsoDate;
  executionId: number;
  reason: LoadReason;
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
  quarantined: number;
  isApproved: boolean;
}>;

/** Publications of a job, newest first; with `day` only those whose window holds it. */
export async function readHistory(pool: Pool, job: string, day: IsoDate | undefined, most: number): Promise<PastPublication[]> {
  return (await execute<PastPublication>(pool, 'read-history', [job, day ?? null, most])).rows;
}
