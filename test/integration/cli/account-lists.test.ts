// account_ids through the program: one entry, jobs like any others, and what becomes of a single job that is made a list.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadJobsConfig } from '../../../src/config/jobs-config.ts';
import type { JobsConfig } from '../../../src/config/settings.ts';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { runCli } from '../../support/command-line.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { SANDBOX_CONNECTION } from '../../support/test-stack.ts';
import { useStack } from '../../support/use-stack.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');

function jobsFile(accounts: string): string {
  return `
${SANDBOX_CONNECTION}
defaults: { since: ${addDays(NEWEST, -7)}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0, ${accounts} }
jobs:
  - { name: rankings, dataset: keyword_rankings }
  - { name: brands, dataset: ai_search_brands }
`;
}

const stack = useStack({ jobs: jobsFile('account_id: 12345'), sandbox: { size: 'tiny' } });

const accountsAsked = (): number[] => stack.sandbox.report().submits.map(({ body }) => (body as { account_id: number }).account_id);

/** Loads all that is expected. */
async function loadAll(config: JobsConfig): Promise<void> {
  const instance = await stack.start({ config });
  await stack.settle();
  await instance.stop();
}

it('a job that becomes a list keeps the weeks it has; only those of the accounts that were added are asked for', async () => {
  await loadAll(stack.config);
  expect(accountsAsked()).toEqual([12345, 12345, 12345, 12345]);

  const path = join(stack.folder, 'jobs.config.yaml');
  await writeFile(path, jobsFile('account_ids: [12345, 67890]'));
  await loadAll(loadJobsConfig(path, stack.env).config);
  expect(accountsAsked().slice(4)).toEqual([67890, 67890, 67890, 67890]);
  expect(await stack.read(`SELECT job, count(*)::integer AS weeks FROM searchmill.slices GROUP BY job ORDER BY job`)).toEqual([
    { job: 'brands-12345', weeks: 2 },
    { job: 'brands-67890', weeks: 2 },
    { job: 'rankings-12345', weeks: 2 },
    { job: 'rankings-67890', weeks: 2 },
  ]);
  await expectExactlyServed(stack);
});

it('its jobs can be named on the command line like any others', async () => {
  expect(await runCli(['run', 'brands-67890'], { env: stack.env })).toMatchObject({
    code: 0,
    out: expect.stringContaining('Nothing to do'),
  });
});

it('check says how many jobs the entries make', async () => {
  const { out } = await runCli(['check'], { env: stack.env });
  expect(out).toContain('ok    configuration: 2 entries make 4 jobs, 1 connection in ');
});

it('all jobs of an entry are paused and resumed by its name', async () => {
  const paused = () => stack.read('SELECT kind, name FROM searchmill.pauses ORDER BY name');
  const { code, out } = await runCli(['pause', 'brands'], { env: stack.env });
  expect([code, out.match(/job brands-\d+ is paused; "searchmill resume brands" ends it\./g)?.length]).toEqual([0, 2]);
  expect(await paused()).toEqual([
    { kind: 'job', name: 'brands-12345' },
    { kind: 'job', name: 'brands-67890' },
  ]);
  const resumed = await runCli(['resume', 'brands', '--json'], { env: stack.env });
  expect(JSON.parse(resumed.out)).toMatchObject({ jobs: [{ name: 'brands-12345' }, { name: 'brands-67890' }] });
  expect(await paused()).toEqual([]);
  expect(await runCli(['pause', 'rank'], { env: stack.env })).toMatchObject({ code: 2 });
});
