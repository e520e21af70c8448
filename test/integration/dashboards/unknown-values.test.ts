// A value that is missing, or that figures do not know, is not the opposite of the one that they count.
import { expect, it } from 'vitest';
import type { Values } from '../../../src/dashboards/variables.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { loadAskedWeeks, loadDatasets, ownDomain, promptRows, type RowsByWeek } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import type { WireValues } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const boardOf = (name: string) => asksOf(() => ledger.pool, name, { isWhole: true });
const [home, ai, rankings] = [boardOf('home'), boardOf('ai-visibility'), boardOf('rankings')];

const loadAll = async (datasets: Readonly<Record<string, RowsByWeek>>): Promise<Values> => ({
  ...(await loadDatasets(ledger.pool, [BEFORE, NOW], datasets)),
  compare: 'week',
});
const times = (count: number, row: WireValues): WireValues[] => Array.from({ length: count }, () => row);

it.each([
  [6, '100.0', null],
  [9, null, 'some mentions have another sentiment, or none'],
] as const)('sentiment: %i of 10 mentions with an unknown value count neither as criticism nor as praise', async (others, figure, told) => {
  const said = (sentiment_value: string) => ({ sentiment_brand: 'Acme', sentiment_value });
  const values = await loadAll({
    ai_search_brands: [BEFORE, NOW].map(() => promptRows([{ brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' }])),
    ai_search_sentiments: [
      promptRows(times(10, said('positive'))),
      promptRows([
        ...times(others === 9 ? 0 : 4, said('positive')),
        ...times(others, said('positiv')),
        ...times(others === 9 ? 1 : 0, said('negative')),
      ]),
    ],
  });
  expect((await ai('sentiment-score', values)).map(({ sentiment_score, mentions, reason }) => [sentiment_score, mentions, reason])).toEqual(
    [
      ['100.0', '10', null],
      [figure, `${10 - others}`, told],
    ],
  );
});

it.each([
  [6, '40.0'],
  [10, null],
] as const)('citations: %i of 10 without an attribution are not counted as those of others', async (unknown, figure) => {
  const cited = (citation_attribution: string | null) => ({
    // Own domains are ours, whatever the attribution.
    citation_domain: citation_attribution === 'You' ? 'acme.example' : 'unknown.example',
    citation_url: 'https://unknown.example/a',
    citation_attribution,
  });
  const values = await loadAll({
    ai_search_citations: [
      promptRows(times(10, cited('You'))),
      promptRows([...times(10 - unknown, cited('You')), ...times(unknown, cited(null))]),
    ],
  });
  const told = `${unknown} citations have no attribution`;
  const ours = (await ai('attribution-mix', values)).filter(({ attribution }) => attribution === 'you');
  expect(ours.map(({ percent, reason }) => [percent, reason])).toEqual([
    ['100.0', null],
    [figure, told],
  ]);
});

/** The service sent a week of a dataset without a column: it is NULL in all rows, and the ledger knows. */
async function loseColumn(account: string | undefined, dataset: string, column: string): Promise<void> {
  const { rowCount } = await ledger.pool.query(
    `INSERT INTO searchmill.drift_events (execution_id, kind, column_name, page, detail)
     SELECT published_execution_id, 'missing_column', $3, 1, '' FROM searchmill.slices WHERE account_id = $1 AND dataset = $2 AND window_start = $4`,
    [account, dataset, column, NOW],
  );
  expect(rowCount).toBe(1);
}

it('a rank that the service did not send does not count as losing all places', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const week = (rank_standard: string | null) =>
    Array.from({ length: 20 }, (_, at) => ({
      query: `q${at}`,
      device: 'DESKTOP',
      search_engine: 'GOOGLE',
      search_engine_country_code: 'US',
      root_domain: at < 10 ? 'acme.example' : 'rival.example',
      normalized_url: `https://x.example/${at}`,
      rank_standard,
      rank_true: '1',
    }));
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, job, [
      { week: BEFORE, rows: week('1') },
      { week: NOW, rows: week(null) },
    ])),
    compare: 'week',
  };
  await loseColumn(values.account as string, 'keyword_rankings', 'rank_standard');
  const reason = 'the service did not send rank_standard';
  for (const panel of ['visibility', 'first-three'])
    expect([panel, (await home(panel, values)).at(-1)]).toMatchObject([panel, { figure: null, change: null, reason }]);
  for (const row of (await rankings('market-share', values)).filter(({ week: of }) => of === NOW))
    expect(row).toMatchObject({ share: null, reason });
  // The newest week with figures is the one before.
  expect(await rankings('new-and-lost', values)).toMatchObject([
    { query: null, notice: expect.stringContaining(`${NOW} is left out: ${reason}`) },
  ]);
});

it('brands whose attribution the service did not send do not change how often we are named', async () => {
  const brands = (brand_or_product_attribution: string | null) =>
    promptRows(times(10, { brand_or_product_name: 'Acme', brand_or_product_attribution }));
  const values = await loadAll({
    ai_search_response: [promptRows(times(10, {})), promptRows(times(10, {}))],
    ai_search_brands: [brands('You'), brands(null)],
  });
  await loseColumn(values.account as string, 'ai_search_brands', 'brand_or_product_attribution');
  const reason = 'brands the service did not send brand_or_product_attribution';
  expect((await ai('mention-rate', values)).map(({ percent, reason: why }) => [percent, why])).toEqual([
    ['100.0', null],
    [null, reason],
  ]);
  expect((await home('mention-rate', values)).at(-1)).toMatchObject({ figure: null, change: null, reason });
});

it.each([
  ['Rival', null],
  ['Acme', '0.0'],
] as const)('brands asked for by name, %s: a figure of ours only where ours were asked for', async (name, percent) => {
  const { accountId } = jobOf();
  const answered = promptRows(times(10, {}));
  await loadAskedWeeks(
    ledger.pool,
    jobOf({ dataset: datasetNamed('ai_search_response'), accountId }),
    [BEFORE, NOW].map((week) => ({ week, rows: answered })),
  );
  const values: Values = {
    ...(await loadAskedWeeks(ledger.pool, jobOf({ dataset: datasetNamed('ai_search_brands'), accountId }), [
      { week: BEFORE, rows: promptRows(times(10, { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' })) },
      {
        week: NOW,
        filters: { brand_or_product_names: [name, 'Other'] },
        rows: promptRows(times(10, { brand_or_product_name: 'Other', brand_or_product_attribution: 'SEO Competitor' })),
      },
    ])),
    compare: 'week',
  };
  const [line, tile] = [(await ai('mention-rate', values)).at(-1), (await home('mention-rate', values)).at(-1)];
  expect([line?.percent, tile?.figure]).toEqual([percent, percent]);
  const reason = /^no brand asked for by name is attributed to You: Other, Rival$/;
  if (percent === null) expect(line?.reason).toMatch(reason);
});
