// The restatement history: what each publication changed, and what it took to load.
import type { IsoDate } from '../core/weeks.ts';
import type { StageTimings } from './coverage.ts';
import type { LoadReason, SliceWindow } from './executions.ts';
import type { Pool } from './pool.ts';
import { readRows } from './statements.ts';

export type PastPublication = Pick<SliceWindow, 'sliceId' | 'windowStart' | 'windowEnd'> &
  Readonly<{
    publishedAt: Date;
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
export const readHistory = (pool: Pool, job: string, day: IsoDate | undefined, maxRows: number): Promise<PastPublication[]> =>
  readRows(pool, 'publications/read-history', { job, day, maxRows });

/** What a published load took. */
export type PastLoad = SliceWindow &
  Readonly<{
    executionId: number;
    reason: LoadReason;
    submittedAt: Date | null;
    publishedAt: Date;
    rows: number;
    pages: number;
    /** Of the service's answers. */
    bytes: number;
    /** The submit, polls and pages. */
    calls: number;
    /** From the submit to the publication. */
    durationMs: number | null;
    timings: StageTimings;
  }>;

/** The loads of a job, or of all, that were published last; the latest first. */
export const readLastLoads = (pool: Pool, maxRows: number, job?: string): Promise<PastLoad[]> =>
  readRows(pool, 'publications/read-last-loads', { job, maxRows });
