// A process starts although own domains cannot be written, and writes them when they can be.
import { expect, it } from 'vitest';
import { createTestStack, sandboxJobs } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = sandboxJobs('account_id: 12345, since: 2026-11-08, own_domains: [www.example.com, www.com]', {
  rankings: 'keyword_rankings, enabled: false',
});

it('starts although own domains cannot be written, and writes them later', async () => {
  const stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
  try {
    await stack.pool.query('ALTER TABLE searchmill.account_settings RENAME TO away');
    await stack.start();
    await stack.pool.query('ALTER TABLE searchmill.away RENAME TO account_settings');
    const domains = (): Promise<unknown[]> =>
      stack.read("SELECT domain FROM search_reports.own_domains WHERE source = 'configured' ORDER BY 1");
    await until('the own domains', async () => (await domains()).length > 0);
    expect(await domains()).toEqual([{ domain: 'example.com' }, { domain: 'www.com' }]);
  } finally {
    await stack.close();
  }
});
