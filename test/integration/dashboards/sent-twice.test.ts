// A row that the service sends twice is one: lists of citations and of searches by assistants count it once, as the figures above them do.
import { expect, it } from 'vitest';
import { loadDatasets, prompt } from '../../support/asked-weeks.ts';
import { useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';

const ledger = useLedger();
const NOW = '2026-11-08';
const panelOf = (board: string) => asksOf(() => ledger.pool, board);

it('citations and searches that come twice count once, in lists as in figures', async () => {
  const cited = prompt('chatgpt', { citation_url: 'https://shop.example/a', citation_domain: 'shop.example', citation_title: 'A' });
  const searched = prompt('chatgpt', { fan_out_query: 'good shoes', fan_out_query_position: '1', amount_of_searches: '3' });
  const values = await loadDatasets(ledger.pool, [NOW], {
    ai_search_citations: [[cited, cited, { ...cited, citation_title: 'B' }]],
    ai_search_fan_out: [[searched, searched]],
  });
  const [page] = await panelOf('page')('prompts', { ...values, page: 'shop.example/a', compare: 'none' });
  const [chart] = await panelOf('page')('citations', { ...values, page: 'shop.example/a', compare: 'none' });
  const [site] = await panelOf('site')('cited-pages', { ...values, site: 'shop.example' });
  const [fanOut] = await panelOf('prompt')('fan-out', { ...values, prompt: 'best shoes' });
  // Two of the three rows differ.
  for (const list of [page, chart, site]) expect(list).toMatchObject({ citations: '2' });
  expect(fanOut).toMatchObject({ query: 'good shoes', searches: '3' });
});
