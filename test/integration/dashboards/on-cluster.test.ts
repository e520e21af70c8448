// Citus refuses statements that one server runs, above all those that mix its tables with functions that read them, so each panel is opened there.
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { chooseValues } from '../../../src/dashboards/board-view.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { createPanelPool, inSnapshot, runPanel } from '../../../src/dashboards/run-panels.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import { loadDatasets } from '../../support/asked-weeks.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();
const WEEKS = ['2026-11-01', '2026-11-08'] as const;
const asked = { prompt: 'best boots?', ai_search_engine: 'chatgpt', locode: 'US', language: 'en', topic: 'gear', persona: 'none' };
const ROWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  keyword_rankings: {
    query: 'boots',
    rank_standard: '1',
    rank_true: '1',
    root_domain: 'acme.example',
    normalized_url: 'https://acme.example/a',
  },
  ai_search_response: { ...asked, ai_response: 'Acme.' },
  ai_search_brands: { ...asked, brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' },
  ai_search_citations: { ...asked, citation_url: 'https://acme.example/a', citation_domain: 'acme.example', citation_attribution: 'You' },
  ai_search_sentiments: { ...asked, sentiment_brand: 'Acme', sentiment_value: 'negative', sentiment_snippet: 'Too heavy.' },
  ai_search_fan_out: { ...asked, fan_out_query: 'boots test', amount_of_searches: '5' },
};

describe.skipIf(inject('servers').citusWorkers.length === 0)('on a Citus cluster', () => {
  let pool: Pool;
  let values: Values;
  beforeAll(async () => {
    const weeks = Object.entries(ROWS).map(([dataset, row]) => [dataset, WEEKS.map(() => [row])] as const);
    values = await loadDatasets(ledger.pool, WEEKS, Object.fromEntries(weeks));
    pool = createPanelPool(new Secret(ledger.url));
    return () => pool.end();
  });

  it.each(readBoards().map((board) => ({ board, name: board.name })))('all panels of $name can be read', async ({ board }) => {
    const failures = await inSnapshot(pool, async (client) => {
      const chosen = await chooseValues(client, board, { account: String(values.account), weeks: '13', measure: 'mention_rate' });
      const results = [];
      for (const panel of board.panels) results.push({ panel: panel.name, ...(await runPanel(client, panel, chosen.values)) });
      return results.filter((result) => 'failure' in result);
    });
    expect(failures).toEqual([]);
  });
});
