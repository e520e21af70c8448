// A load under way when a migration gives its dataset another column: its staging table lacks it.
import { expect, it } from 'vitest';
import { stagingTable } from '../../../src/tables/staging.ts';
import { drive, pipelineOn } from '../../support/drive.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { release, stageWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

it('is abandoned with the reason, submitted again, and published whole', async () => {
  const { pool } = ledger;
  const job = jobOf();
  const execution = await stageWindow(pool, job, [[wireRow(job, { query: 'a', title: 'one' })]]);
  await pool.query(`ALTER TABLE ${stagingTable(execution.id)} DROP COLUMN title`);
  await release(pool, execution);
  const service = scriptService(schemaOf(job.dataset), [[wireRow(job, { query: 'a', title: 'one' })]]);
  await drive(pool, pipelineOn(pool, service), job.name);
  expect(service.calls.filter((call) => call === 'submit')).toHaveLength(1);
  const { rows } = await pool.query('SELECT state, end_reason FROM searchmill.executions WHERE id = $1', [execution.id]);
  expect(rows).toEqual([{ state: 'abandoned', end_reason: expect.stringContaining('lacks columns') as string }]);
  expect(await publishedRows(pool, job, ['query', 'title'])).toMatchObject([{ query: 'a', title: 'one' }]);
});
