// What a status reads off the ledger, and what it leaves out.
import { expect, it } from 'vitest';
import { cancelLoads } from '../../../src/ledger/cancel.ts';
import { markRemovedJobs, recordJob } from '../../../src/ledger/jobs.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { submitWindow } from '../../support/window-steps.ts';
import { openBudget } from './call-budget.ts';

const ledger = useLedger();

it('status shows a connection as long as a job or a load uses it, since only those can end what is wrong with it', async () => {
  const { pool } = ledger;
  const { name: connection, log } = await openBudget(pool);
  const job = jobOf({ connection });
  await submitWindow(pool, job);
  await log.reportUnauthorized();
  const refused = async (): Promise<(string | null)[]> =>
    findProblems(await readStatus(pool), new Date()).flatMap((problem) =>
      problem.kind === 'credential-refused' ? problem.connection : [],
    );
  expect(await refused()).toEqual([connection]);
  await recordJob(pool, { ...job, connection: 'another' }, undefined);
  expect(await refused()).toEqual([connection]);
  await recordJob(pool, job, undefined);
  await cancelLoads(pool, job.name, { from: undefined, to: undefined });
  expect(await refused()).toEqual([connection]);
  await markRemovedJobs(pool, [], 'nobody');
  expect(await refused()).toEqual([]);
});
