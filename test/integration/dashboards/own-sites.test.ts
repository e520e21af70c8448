// Which of the own sites count, as the address says: exact where summaries tell them apart, a gap where they do not, and said by panels that
// cannot go by it.
import { afterEach, expect, it } from 'vitest';
import type { Values } from '../../../src/dashboards/variables.ts';
import { serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ask = asksOf(() => ledger.pool, 'rankings');
let served: TestDashboards | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const OWN = ['acme.example', 'blog.acme.example', 'de.shops.example', 'us.shops.example'];

/** One search with a result of each host, from the first place on. */
async function loadHosts(hosts: readonly (readonly [subdomain: string, rootDomain: string])[]): Promise<Values> {
  const { pool } = ledger;
  const job = jobOf();
  await pool.query(`INSERT INTO searchmill.own_domains (account_id, domain, source) SELECT $1, unnest($2::text[]), 'configured'`, [
    job.accountId,
    OWN,
  ]);
  const rows = hosts.map(([subdomain, root_domain], index) =>
    wireRow(job, { query: 'a', device: 'DESKTOP', search_engine: 'GOOGLE', subdomain, root_domain, rank_standard: String(index + 1) }),
  );
  await loadWindow(pool, job, rows);
  await storeReports(pool);
  return { account: String(job.accountId), weeks: '13', top_n: '10', weighted: 'false', rank: 'standard' };
}

const HOSTS = [
  ['www.acme.example', 'acme.example'],
  ['blog.acme.example', 'acme.example'],
  ['us.shops.example', 'shops.example'],
  ['fr.shops.example', 'shops.example'],
  ['www.other.example', 'other.example'],
] as const;
const MIXED = { share: null, reason: 'another own site has the same root domain' };

it.each([
  [null, { share: '30.00', reason: null }, ['acme.example', 'shops.example']],
  [['acme.example'], { share: '20.00', reason: null }, ['acme.example']],
  // What lies below a chosen one is chosen with it.
  [['acme.example', 'blog.acme.example'], { share: '20.00', reason: null }, ['acme.example']],
  [['de.shops.example', 'us.shops.example'], { share: '10.00', reason: null }, ['shops.example']],
  [OWN, { share: '30.00', reason: null }, ['acme.example', 'shops.example']],
  [['blog.acme.example'], MIXED, ['acme.example']],
  [['us.shops.example'], MIXED, ['shops.example']],
  [['acme.example', 'us.shops.example'], MIXED, ['acme.example', 'shops.example']],
])('%s: the visibility, and which sites are ours', async (own, visibility, ours) => {
  const values = { ...(await loadHosts(HOSTS)), own };
  const [row] = await ask('visibility', values);
  expect(row).toMatchObject({ engine: 'GOOGLE', ...visibility });
  const sites = await ask('market-share', values);
  expect(sites.flatMap(({ site, is_ours }) => (is_ours === 't' ? [site] : []))).toEqual(ours);
  expect(sites).toHaveLength(3);
});

it('are chosen by the address; panels that count all of them say so, and other sites are refused', async () => {
  const { account } = await loadHosts(HOSTS);
  served = await serveDashboards(ledger.url);
  const get = async (...own: string[]): Promise<{ status: number; text: string }> => {
    const query = new URLSearchParams([['account', account ?? ''], ['weighted', 'false'], ...own.map((each) => ['own', each])]);
    const answer = await fetch(`${served?.url}/boards/rankings?${query}`);
    return { status: answer.status, text: await answer.text() };
  };
  const told = (text: string): string[] =>
    [...text.matchAll(/<section id="([^"]+)"(?:(?!<\/section>).)*?regardless of: Our sites\./gs)].map(([, id]) => id ?? '');
  const all = await get('');
  expect([all.status, told(all.text)]).toEqual([200, []]);
  const some = await get('us.shops.example', 'de.shops.example');
  expect(some.status).toBe(200);
  for (const own of ['de.shops.example', 'us.shops.example']) expect(some.text).toContain(`name="own" value="${own}" checked`);
  expect(some.text).toContain('own=de.shops.example&amp;own=us.shops.example');
  expect(told(some.text)).toEqual(['rank-distribution', 'average-place', 'groups', 'winners-and-losers', 'new-and-lost', 'changed-urls']);
  const other = await get('acme.example', 'other.example', 'another.example');
  expect(other.status).toBe(400);
  for (const unknown of ['another.example', 'other.example'])
    expect(other.text).toContain(`own: ${unknown} is unknown; expected one of ${OWN.join(', ')}`);
});
