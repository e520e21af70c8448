// What a status is made of: everything that was read off the ledger, and the problems that are found in it.

import type { FailingReports } from '../reports/failures.ts';
import type { EmptyWeeks, KnownConnection, KnownDrift, KnownJob, LiveExecution, UnknownSubmits, WeekGroup } from '../warehouse/coverage.ts';
import type { KnownInstance } from '../warehouse/instances.ts';
import type { QuarantineSummary } from '../warehouse/quarantine.ts';

export type Status = Readonly<{
  jobs: readonly KnownJob[];
  coverage: readonly WeekGroup[];
  live: readonly LiveExecution[];
  connections: readonly KnownConnection[];
  instances: readonly KnownInstance[];
  drift: readonly KnownDrift[];
  quarantine: readonly QuarantineSummary[];
  emptyWeeks: readonly EmptyWeeks[];
  unknownSubmits: readonly UnknownSubmits[];
  failingReports: readonly FailingReports[];
}>;

export type Problem = Readonly<{
  /** False when Searchmill gets over it by itself. */
  needsYou: boolean;
  /** What, and since when. */
  title: string;
  why: readonly string[];
  /** What to do, or what happens next. */
  next: readonly string[];
}>;
