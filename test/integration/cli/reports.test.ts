// searchmill reports, own_domains of the jobs file, and the role for dashboards: the built program on a database that `run` has filled.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLineResult, runCli } from '../../support/command-line.ts';
import { ensureBuilt } from '../../support/program.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';
import { findWrongWeeks } from '../../support/wrong-weeks.ts';

const NEWEST = newestWeek();
const JOBS = jobsSince(
  NEWEST,
  {
    rankings: 'keyword_rankings',
    citations: 'ai_search_citations, own_domains: [shop.example.org]',
  },
  'own_domains: [www.Example.com]',
);

let stack: TestStack;
const cli = (...args: string[]): Promise<CommandLineResult> => runCli(args, { env: stack.env });

beforeAll(async () => {
  await ensureBuilt();
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
  expect((await cli('run')).code).toBe(0);
});
afterAll(() => stack.close());

describe('searchmill reports', () => {
  it('finds that what run has stored agrees with the tables', async () => {
    expect(await stack.read('SELECT DISTINCT subject FROM searchmill.stale_weeks')).toEqual([]);
    const { code, out } = await cli('reports', 'check');
    expect([code, out.trim()]).toEqual([0, 'The summaries of 3 weeks agree with the tables.']);
    expect(await findWrongWeeks(stack.pool, [12345], [NEWEST])).toEqual([]);
  });

  it('knows the own domains of all jobs of the account', async () => {
    const domains = await stack.read("SELECT domain FROM search_reports.own_domains WHERE source = 'configured' ORDER BY 1");
    expect(domains.map(({ domain }) => domain)).toEqual(['example.com', 'shop.example.org']);
  });

  it('names what differs with exit code 1, and rebuild mends it', async () => {
    await stack.pool.query('UPDATE search_stored.search_sites SET true_1 = true_1 + 1');
    const check = await cli('reports', 'check', '--dataset', 'keyword_rankings', '--json');
    expect(check.code).toBe(1);
    expect(JSON.parse(check.out)).toMatchObject({
      weeks: 1,
      marked: 0,
      differences: [{ summary: 'search_sites', accountId: '12345', week: NEWEST }],
    });
    const rebuilt = await cli('reports', 'rebuild', '--account', '12345');
    expect([rebuilt.code, rebuilt.out.trim()]).toEqual([0, 'The summaries of 3 weeks were rebuilt.']);
    expect((await cli('reports', 'check')).code).toBe(0);
  });

  it.each([
    [['check', '--account', 'acme'], 'Expected the number of an account'],
    [['check', '--dataset', 'rankings'], 'Allowed choices are keyword_rankings'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await cli('reports', ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

it('a login that may only read dashboards sees computed weeks, and changes nothing', async () => {
  await stack.pool.query('INSERT INTO searchmill.stale_weeks (subject, account_id, week) VALUES ($1, 12345, $2)', ['rankings', NEWEST]);
  const client = await stack.pool.connect();
  try {
    await client.query('BEGIN; CREATE ROLE reports_reader IN ROLE searchmill_reader; SET LOCAL ROLE reports_reader');
    const { rows } = await client.query<{ searches: number }>(
      'SELECT sum(searches)::integer AS searches FROM search_reports.ranking_totals',
    );
    expect(rows[0]?.searches).toBeGreaterThan(0);
    await expect(client.query('DELETE FROM searchmill.stale_weeks')).rejects.toThrow('permission denied');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

it('searchmill signals says that no rule has run yet, instead of that none has found anything', async () => {
  const { code, out } = await cli('signals');
  expect([code, out.trim()]).toEqual([
    0,
    'The rules have not been evaluated for this week: is the service running, and signals.enabled true?',
  ]);
});
