// Which results are ours where own sites share a root domain with others.
import { expect, it } from 'vitest';
import type { Values } from '../../../src/dashboards/variables.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ask = asksOf(() => ledger.pool, 'rankings');

const OWN = ['acme.example', 'blog.acme.example', 'de.shops.example', 'us.shops.example'];

/** One search with a result of each host, from the first place on. */
async function loadHosts(hosts: readonly (readonly [subdomain: string, rootDomain: string])[]): Promise<Values> {
  const { pool } = ledger;
  const job = jobOf();
  await insertOwnDomains(pool, job.accountId, ...OWN);
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

it('all own sites count, whatever share of a root domain they are', async () => {
  const values = await loadHosts(HOSTS);
  const [row] = await ask('visibility', values);
  expect(row).toMatchObject({ engine: 'GOOGLE', share: '30.00', reason: null });
  const sites = await ask('market-share', values);
  expect(sites.flatMap(({ site, is_ours }) => (is_ours === 't' ? [site] : []))).toEqual(['acme.example', 'shops.example']);
  expect(sites).toHaveLength(3);
});
