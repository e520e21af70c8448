// The board Rivals: shares of ours and of others in one table, and what one took from the other, to the point.
import { expect, it } from 'vitest';
import { insertCompetitors } from '../../support/account-settings.ts';
import { loadAskedWeeks, loadDatasets, ownDomain, prompt } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf, columnsOf } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const ask = asksOf(() => ledger.pool, 'rivals');

/** A search whose first place a site has. */
const first = (query: string, site: string, more: WireValues = {}): WireValues => ({
  query,
  device: 'DESKTOP',
  search_engine: 'GOOGLE',
  search_engine_country_code: 'US',
  root_domain: site,
  normalized_url: `https://${site}/${query}`,
  rank_standard: '1',
  ...more,
});

async function loadSearches() {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  await insertCompetitors(ledger.pool, job.accountId, 'rival.example');
  const phone = { device: 'SMARTPHONE' };
  const loaded = await loadAskedWeeks(ledger.pool, job, [
    {
      week: BEFORE,
      rows: [
        first('lost', 'acme.example'),
        first('lost', 'acme.example', phone),
        first('won', 'rival.example'),
        first('kept', 'acme.example'),
        first('of others', 'other.example'),
        first('dropped', 'acme.example'),
      ],
    },
    {
      week: NOW,
      rows: [
        first('lost', 'rival.example'),
        first('lost', 'rival.example', phone),
        first('won', 'acme.example'),
        first('kept', 'acme.example'),
        first('of others', 'rival.example'),
        first('added', 'rival.example'),
      ],
    },
  ]);
  return { ...loaded, top_n: '1', compare: 'week' };
}

it('market shares: ours, competitors and others, each change like for like and by what was added and dropped', async () => {
  const shown = await ask('market-share', await loadSearches());
  expect(columnsOf(shown, 'site', 'kind', 'share', 'share_before', 'change', 'added', 'dropped', 'same')).toEqual([
    ['rival.example', 'competitor', '66.67', '16.67', '40.00', '6.67', '3.33', '83.3'],
    ['acme.example', 'ours', '33.33', '66.67', '-20.00', '-6.67', '-6.67', '83.3'],
  ]);
});

it('searches taken: those in which one gained what the other lost, with the points of the market share', async () => {
  const values = await loadSearches();
  const shown = await ask('searches-taken', values);
  expect(columnsOf(shown, 'site', 'query', 'device', 'place_before', 'place_now', 'points')).toEqual([
    ['rival.example', 'lost', 'DESKTOP', '1', null, '-20.0000'],
    ['rival.example', 'lost', 'SMARTPHONE', '1', null, '-20.0000'],
    ['rival.example', 'won', 'DESKTOP', null, '1', '20.0000'],
  ]);
  expect(shown[0]?.notice).toContain('2 times a rival took from us and 1 times we did, of 5 searches.');
  // Of the searches that are chosen, each weighs more.
  expect(columnsOf(await ask('searches-taken', { ...values, device: ['SMARTPHONE'] }), 'query', 'points')).toEqual([['lost', '-100.0000']]);
});

it('citations: shares of sites, and prompts of which a rival took citations from us', async () => {
  const cites = (of: string, ...sites: readonly string[]) =>
    sites.map((site, at) =>
      prompt('chatgpt', {
        prompt: of,
        prompt_type: 'unbranded',
        citation_url: `https://${site}/${at}`,
        citation_domain: site,
        citation_attribution: site === 'acme.example' ? 'You' : 'Other',
      }),
    );
  const values = {
    ...(await loadDatasets(ledger.pool, [BEFORE, NOW], {
      ai_search_citations: [
        [
          ...cites('lost', 'acme.example', 'other.example'),
          ...cites('kept', 'acme.example', 'rival.example'),
          ...cites('dropped', 'acme.example'),
        ],
        [
          ...cites('lost', 'rival.example', 'other.example'),
          ...cites('kept', 'acme.example', 'rival.example'),
          ...cites('added', 'rival.example'),
        ],
      ],
    })),
    compare: 'week',
  };
  expect(columnsOf(await ask('citation-share', values), 'site', 'share', 'share_before', 'change')).toEqual([
    ['rival.example', '60.00', '20.00', '25.00'],
    ['acme.example', '20.00', '60.00', '-25.00'],
    ['other.example', '20.00', '20.00', '0.00'],
  ]);
  expect(
    columnsOf(await ask('prompts-taken', values), 'site', 'prompt', 'ours_before', 'ours_now', 'theirs_before', 'theirs_now', 'points'),
  ).toEqual([['rival.example', 'lost', '1', '0', '0', '1', '-25.0000']]);
});
