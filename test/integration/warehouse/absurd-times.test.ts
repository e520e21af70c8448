// What a wrong count or a wrong clock makes of the time that a load needs, or has: it must neither stop the load nor end it.
import { expect, it } from 'vitest';
import type { Connection, Job } from '../../../src/config/settings.ts';
import { ServiceUnavailableError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { registerConnections } from '../../../src/ledger/call-log.ts';
import { drive, findLive, makeDue, pipelineOn, stepOnce } from '../../support/drive.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { type ScriptedService, scriptService } from '../../support/scripted-service.ts';
import { planWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger({ keepsInvariants: false });

/** A job whose answer has two pages of a row each. The connection's limit is known, so that the ledger estimates how long reading takes. */
async function prepare(): Promise<{ job: Job; service: ScriptedService; step: () => Promise<void>; end: () => Promise<unknown> }> {
  const { pool } = ledger;
  const named = jobOf();
  const job = { ...named, connection: named.name };
  const connection = {
    name: job.connection,
    baseUrl: 'http://localhost',
    auth: { kind: 'token', token: new Secret('t') },
    headers: {},
    callsPerMinute: { submit: 40, read: 1000 },
    budgetId: `b-${job.name}`,
  } as unknown as Connection;
  await registerConnections(pool, [connection]);
  const service = scriptService(schemaOf(job.dataset), [[wireRow(job, { query: 'a' })], [wireRow(job, { query: 'b' })]], 0);
  const pipeline = pipelineOn(pool, service);
  await planWindow(pool, job);
  const step = async (): Promise<void> => {
    const live = await findLive(pool, job.name);
    if (!live) return;
    await makeDue(pool, job.name);
    await stepOnce(pipeline, live);
  };
  return { job, service, step, end: () => drive(pool, pipeline, job.name) };
}

const statesOf = async ({ name }: Job): Promise<unknown[]> =>
  (
    await ledger.pool.query(
      'SELECT e.state, e.objections FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 ORDER BY e.id',
      [name],
    )
  ).rows;

it.each([10n ** 12n, 2n ** 53n - 1n, 2n ** 63n - 1n])('an answer that announces %d rows is read, and held', async (total) => {
  const { job, service, end } = await prepare();
  service.alterPage = (page) => ({ ...page, totalRowCount: total });
  // The time left is estimated anew after a failure.
  let failures = 0;
  service.beforeCall = (call) => {
    if (call.startsWith('page') && failures++ < 3) throw new ServiceUnavailableError('cut', { isOutcomeUnknown: false });
  };
  await end();
  expect(await statesOf(job)).toMatchObject([{ state: 'held', objections: [{ rule: 'total' }] }]);
  expect(service.calls.filter((call) => call === 'submit')).toHaveLength(1);
});

it.each([60])('a load is read when the database set its clock back by %d days after the submit', async (days) => {
  const { job, step, end } = await prepare();
  await step();
  await ledger.pool.query(
    `UPDATE searchmill.executions e SET submit_started_at = submit_started_at + make_interval(days => $2),
            submitted_at = submitted_at + make_interval(days => $2), expires_at = expires_at + make_interval(days => $2)
       FROM searchmill.slices s WHERE s.id = e.slice_id AND s.job = $1`,
    [job.name, days],
  );
  await end();
  expect(await statesOf(job)).toMatchObject([{ state: 'published' }]);
});
