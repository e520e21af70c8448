// Shares of single sites: what each holds adds up to all of it, every filter applies, and a change between two weeks adds up to the last digit.
import { expect, it } from 'vitest';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { loadAskedWeeks, ownDomain } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const rankings = asksOf(() => ledger.pool, 'rankings');

const result = (query: string, place: number, site: string, more: WireValues = {}): WireValues => ({
  query,
  device: 'DESKTOP',
  search_engine: 'GOOGLE',
  search_engine_country_code: 'US',
  root_domain: site,
  normalized_url: `https://${site}/${query}/${place}`,
  rank_standard: String(place),
  ...more,
});

/** What a function of sites gives, by the choices of an account. */
async function rowsOf(account: string | undefined, call: string): Promise<Record<string, string | null>[]> {
  const text = call.replaceAll(':all', `search_reports.all_of(${account}::bigint)`);
  return (await ledger.pool.query<Record<string, string | null>>(`SELECT * FROM ${text}`)).rows;
}

it('market share: results that share a place have a part of it each, and a row that was sent twice counts once', async () => {
  const job = jobOf();
  const twice = result('a', 1, 'one.example');
  const values = await loadAskedWeeks(ledger.pool, job, [
    { week: NOW, rows: [twice, twice, result('a', 2, 'one.example'), result('a', 2, 'two.example'), result('a', 3, 'three.example')] },
  ]);
  const shown = await rankings('market-share', { ...values, weighted: 'false', top_n: '3' });
  expect(shown.map(({ site, share }) => [site, share])).toEqual([
    ['one.example', '50.00'],
    ['three.example', '33.33'],
    ['two.example', '16.67'],
  ]);
});

it('market share: goes by the keyword group, and by searches of which all first places are loaded', async () => {
  const job = jobOf();
  const other = jobOf({ accountId: job.accountId });
  const grouped = (name: string) => ({ keyword_group_ids: '1', keyword_group_names: name });
  await loadAskedWeeks(ledger.pool, job, [
    { week: NOW, rows: [result('a', 1, 'one.example', grouped('x')), result('b', 1, 'two.example', grouped('y'))] },
  ]);
  const values = await loadAskedWeeks(ledger.pool, other, [
    { week: NOW, filters: { max_rank: 1 }, rows: [result('c', 1, 'three.example', { device: 'SMARTPHONE' })] },
  ]);
  const shares = async (more: Record<string, unknown>) =>
    (await rankings('market-share', { ...values, weighted: 'false', top_n: '1', ...more })).map(({ site, share }) => [site, share]);
  expect(await shares({ keyword_group: ['y'] })).toEqual([['two.example', '100.00']]);
  expect(await shares({})).toEqual(['one', 'three', 'two'].map((site) => [`${site}.example`, '33.33']));
  // Of three places only two searches are known to the end.
  const three = await rankings('market-share', { ...values, weighted: 'false', top_n: '3' });
  expect(three.map(({ site, share, reason }) => [site, share, reason])).toEqual(
    ['one', 'two'].map((site) => [`${site}.example`, '16.67', '1 of 3 are left out: tracked to place 1 only (max_rank)']),
  );
  // Signals about rivals read the same measure.
  const signalled = await rowsOf(values.account ?? '', `search_reports.site_shares(${values.account}, '${NOW}', 1) ORDER BY site`);
  expect(signalled.map(({ site, share }) => [site, Number(share)])).toEqual([
    ['one.example', 5],
    ['two.example', 5],
  ]);
});

it('a change of a site is like for like, by searches added and by searches dropped, to the last digit', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const { account } = await loadAskedWeeks(ledger.pool, job, [
    { week: BEFORE, rows: [result('kept', 1, 'rival.example'), result('dropped', 1, 'rival.example'), result('other', 1, 'acme.example')] },
    {
      week: NOW,
      rows: [
        result('kept', 2, 'rival.example'),
        result('kept', 1, 'rival.example'),
        result('added', 1, 'acme.example'),
        result('other', 1, 'rival.example'),
      ],
    },
  ]);
  const sites = `'{rival.example,acme.example}'`;
  const changes = await rowsOf(account ?? '', `search_reports.site_changes('first_places', :all, ${sites}, '${NOW}', '${BEFORE}')`);
  const told = changes.map(({ site, level, level_before, like_for_like, added, dropped, matched }) => ({
    site,
    numbers: [level, level_before, like_for_like, added, dropped, matched].map(Number),
  }));
  const close = (...numbers: number[]) => numbers.map((number) => expect.closeTo(number, 9));
  expect(told).toEqual([
    { site: 'acme.example', numbers: close(10 / 3, 10 / 3, -5, 10 / 3, 5 / 3, 2 / 3) },
    { site: 'rival.example', numbers: close(10, 20 / 3, 10, -5, -5 / 3, 2 / 3) },
  ]);
  for (const row of changes) {
    const { rows } = await ledger.pool.query('SELECT $1::numeric = $2::numeric + $3::numeric + $4::numeric AS adds_up', [
      row.change,
      row.like_for_like,
      row.added,
      row.dropped,
    ]);
    expect(rows).toEqual([{ adds_up: true }]);
  }
});

it('citation share: all sites together are everything, and sites below one are of it', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_citations') });
  const cited = (citation_domain: string | null, prompt: string, persona: string): WireValues => ({
    ai_search_engine: 'chatgpt',
    locode: 'US',
    prompt,
    persona,
    citation_domain,
    citation_url: `https://${citation_domain}/${prompt}`,
  });
  const { account } = await loadAskedWeeks(ledger.pool, job, [
    {
      week: NOW,
      rows: [
        cited('www.one.example', 'p', 'buyer'),
        cited('shop.one.example', 'p', 'buyer'),
        cited(null, 'q', 'owner'),
        cited('two.example', 'q', 'owner'),
      ],
    },
  ]);
  const levels = async (sites: string, below: boolean) =>
    (await rowsOf(account ?? '', `search_reports.site_levels('citations', 'persona', :all, ${sites}, '13', ${below})`)).map(
      ({ site, line, level, part }) => [site, line, Number(level), Number(part)],
    );
  const all = `search_reports.largest_sites('citations', :all, '13', 8)`;
  expect(await levels(all, false)).toEqual([
    ['(no page)', 'buyer', 0, 0],
    ['(no page)', 'owner', 50, 1],
    ['one.example', 'buyer', 50, 1],
    ['one.example', 'owner', 0, 0],
    ['shop.one.example', 'buyer', 50, 1],
    ['shop.one.example', 'owner', 0, 0],
    ['two.example', 'buyer', 0, 0],
    ['two.example', 'owner', 50, 1],
  ]);
  expect(await levels(`'{one.example}'`, true)).toEqual([
    ['one.example', 'buyer', 100, 2],
    ['one.example', 'owner', 0, 0],
  ]);
});
