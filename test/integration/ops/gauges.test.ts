// The gauges that alerts look at, read from rows of the ledger.
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { addLedgerGauges } from '../../../src/ops/ledger-gauges.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const registry = new Registry();
const updateGauges = addLedgerGauges(registry);

/** The jobs of which a gauge has a value. */
async function jobsOf(gauge: string): Promise<unknown[]> {
  await updateGauges(ledger.pool);
  const { values = [] } = (await registry.getSingleMetric(gauge)?.get()) ?? {};
  return values.map(({ labels }) => labels.job);
}

it('say how old the newest week is only of jobs that are planned: an alert of another would never end', async () => {
  const load = async (changes: Partial<Job> = {}): Promise<string> => {
    const job = jobOf(changes);
    await loadWindow(ledger.pool, job, [wireRow(job, { query: 'a' })]);
    return job.name;
  };
  const [planned, removed, disabled, paused] = [await load(), await load(), await load(), await load()];
  const connectionPaused = await load();
  await ledger.pool.query(`
    INSERT INTO searchmill.budgets (id) VALUES ('second');
    INSERT INTO searchmill.connections (name, base_url, auth_kind, budget_id, submits_per_minute, reads_per_minute)
    VALUES ('second', '', 'token', 'second', 5, 1000)`);
  await ledger.pool.query(`UPDATE searchmill.jobs SET connection = 'second' WHERE name = $1`, [connectionPaused]);
  await ledger.pool.query('UPDATE searchmill.jobs SET removed_at = now() WHERE name = $1', [removed]);
  await ledger.pool.query('UPDATE searchmill.jobs SET enabled = false WHERE name = $1', [disabled]);
  await ledger.pool.query(`INSERT INTO searchmill.pauses (kind, name) VALUES ('job', $1), ('connection', 'second')`, [paused]);
  const gauges = ['searchmill_newest_published_week_timestamp_seconds', 'searchmill_last_published_timestamp_seconds'];
  for (const gauge of gauges) expect(await jobsOf(gauge), gauge).toEqual([planned]);
  expect(await jobsOf('searchmill_job_paused')).toEqual(expect.arrayContaining([planned, paused, connectionPaused]));

  await ledger.pool.query('UPDATE searchmill.jobs SET enabled = true');
  await ledger.pool.query('DELETE FROM searchmill.pauses');
  for (const gauge of gauges) expect(new Set(await jobsOf(gauge)), gauge).toEqual(new Set([planned, disabled, paused, connectionPaused]));
});
