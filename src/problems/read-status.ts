// Reads off the ledger what a status is made of.
import { allOf } from '../core/all-of.ts';
import { systemClock } from '../core/clock.ts';
import { nextTick } from '../pipeline/expected-weeks.ts';
import { readFailingReports } from '../reports/failures.ts';
import { readUnmetSpellings } from '../reports/spellings.ts';
import {
  type KnownJob,
  readConnections,
  readDrift,
  readEmptyWeeks,
  readJobs,
  readLiveExecutions,
  readUnknownSubmits,
  readWeekGroups,
} from '../warehouse/coverage.ts';
import { readInstances } from '../warehouse/instances.ts';
import { readFailingTargets } from '../warehouse/notifications.ts';
import type { Pool } from '../warehouse/pool.ts';
import { listQuarantine } from '../warehouse/quarantine.ts';
import { readUnlikeWeeks } from '../warehouse/verification-rounds.ts';
import type { Status } from './status.ts';

/** Of one job and what it uses, or of all. A job that the ledger does not know leaves `jobs` empty. Throws StoreError. */
export async function readStatus(pool: Pool, job?: string): Promise<Status> {
  // Asked for at once: half of the time would go by waiting for answers.
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
    failing: readFailingReports(pool),
    unmet: readUnmetSpellings(pool),
    failingTargets: readFailingTargets(pool),
  });
  const jobs = all.filter(({ name }) => job === undefined || name === job);
  // Those of removed jobs are called no more, so nothing would end what is wrong with them.
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

/** The first look at any schedule loads the time zones, 24 ms: done while slower answers are under way. */
function warmUpSchedules(jobs: KnownJob[]): KnownJob[] {
  if (jobs[0]) nextTick({ schedule: jobs[0] }, systemClock.now());
  return jobs;
}
