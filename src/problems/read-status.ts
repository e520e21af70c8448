// Reads a status from the ledger.
import { allOf } from '../core/all-of.ts';
import { systemClock } from '../core/clock.ts';
import { readAcknowledgements } from '../ledger/acknowledgements.ts';
import {
  type KnownJob,
  readConnections,
  readDrift,
  readEmptyWeeks,
  readJobs,
  readLiveExecutions,
  readUnknownSubmits,
  readWeekGroups,
} from '../ledger/coverage.ts';
import { readInstances } from '../ledger/instances.ts';
import { readFailingTargets } from '../ledger/notifications.ts';
import { nextTick } from '../pipeline/expected-weeks.ts';
import type { Pool } from '../postgres/pool.ts';
import { readLeftRows } from '../publishing/forgetting.ts';
import { listQuarantine } from '../publishing/quarantine.ts';
import { readFailingReports } from '../reports/failures.ts';
import { readUnmetSpellings } from '../reports/spellings.ts';
import { readUnlikeWeeks } from '../tables/verification-rounds.ts';
import type { Status } from './status.ts';

/** The status of one job and what it uses, or of all jobs. `jobs` is empty for a job that the ledger does not know. Throws StoreError. */
export async function readStatus(pool: Pool, job?: string): Promise<Status> {
  // The reads run concurrently: one after the other, half of the time would be spent waiting for answers.
  const { all, known, failing, unmet, ...rest } = await allOf({
    all: readJobs(pool).then(warmUpSchedules),
    coverage: readWeekGroups(pool, job),
    live: readLiveExecutions(pool, job),
    known: readConnections(pool),
    instances: readInstances(pool),
    drift: readDrift(pool, job),
    quarantine: listQuarantine(pool, job),
    emptyWeeks: readEmptyWeeks(pool, { job }),
    unknownSubmits: readUnknownSubmits(pool, job),
    unlikeWeeks: readUnlikeWeeks(pool, job),
    leftRows: readLeftRows(pool, job),
    failing: readFailingReports(pool),
    unmet: readUnmetSpellings(pool),
    failingTargets: readFailingTargets(pool),
    acknowledgements: readAcknowledgements(pool),
  });
  const jobs = all.filter(({ name }) => job === undefined || name === job);
  // Connections that only removed jobs used are no longer called, so their problems would never end.
  const users = [...jobs.filter(({ removedAt }) => removedAt === null), ...rest.live];
  const connections = known.filter(({ name }) => users.some(({ connection }) => connection === name));
  const accounts = new Set(jobs.map(({ accountId }) => String(accountId)));
  const isAsked = ({ accountId }: { accountId: string }): boolean => job === undefined || accounts.has(accountId);
  return {
    ...rest,
    jobs,
    connections,
    failingReports: failing.filter(isAsked),
    unmetSpellings: unmet.filter(isAsked),
  };
}

/** The first use of any schedule loads the time zones, which takes 24 ms. Here it overlaps with slower reads. */
function warmUpSchedules(jobs: KnownJob[]): KnownJob[] {
  if (jobs[0]) nextTick({ schedule: jobs[0] }, systemClock.now());
  return jobs;
}
