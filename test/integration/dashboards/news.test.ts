// News of Home that are about more than a week: pages that answers began or stopped citing, and figures that are back where they were.
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { addDays } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { streamCsv } from '../../../src/dashboards/csv.ts';
import { loadAskedWeeks, loadDatasets, ownDomain, prompt } from '../../support/asked-weeks.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf, columnsOf } from '../../support/panels.ts';

const ledger = useLedger();
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const ask = asksOf(() => ledger.pool, 'home');
type Cited = Readonly<Record<string, readonly string[]>>;

/** Citations by prompt: pages of ours by their path, one of another site for each. */
const citations = (of: Cited) =>
  Object.entries(of).flatMap(([text, paths]) =>
    [...paths.map((path) => ['acme.example', path, 'You'] as const), ['other.example', text, 'Other'] as const].map(
      ([site, path, attribution], at) =>
        prompt('chatgpt', {
          prompt: text,
          prompt_type: 'unbranded',
          citation_url: `https://www.${site}/${path}?utm_source=chatgpt.com&n=${site === 'acme.example' ? 1 : at}`,
          citation_domain: site,
          citation_attribution: attribution,
        }),
    ),
  );

const newsOf = async (before: Cited, now: Cited, more: object = {}) => {
  const values = await loadDatasets(ledger.pool, [BEFORE, NOW], { ai_search_citations: [citations(before), citations(now)] });
  const shown = await ask('news', { ...values, compare: 'week', branded: null, ...more });
  return columnsOf(shown, 'what', 'details', 'points');
};

it('tells of pages of ours that answers to prompts of both weeks began or stopped citing, with their citations', async () => {
  const before = { a: ['old', 'stays'], b: ['old', 'once'], c: ['stays'] };
  const now = { a: ['new', 'stays'], b: ['new'], c: ['stays', 'newer'], d: ['newer', 'of d'], e: ['of d'] };
  expect(await newsOf(before, now)).toEqual([
    // Of 7 citations by a, b and c. The page "newer" has one of them, "of d" none.
    [
      'Pages cited newly',
      '1 page of ours is cited newly, 2 citations (+25.00 points of the citation share): acme.example/new?n=1 (2)',
      '25.000',
    ],
    [
      'Pages cited no more',
      '1 page of ours is cited no more, 2 citations (−25.00 points of the citation share): acme.example/old?n=1 (2)',
      '-25.000',
    ],
  ]);
});

it('tells nothing of a page that only a prompt without a counterpart cites, nor of one that another prompt cited before', async () => {
  expect(await newsOf({ a: ['stays'], z: ['moved', 'moved too'] }, { a: ['stays', 'moved'], b: ['moved', 'fresh'], c: ['fresh'] })).toEqual(
    [],
  );
});

it('tells that searches find us again in the week in which four fifths of a fall are made up for, and only then', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  const found = [20, 20, 8, 9, 18, 20];
  const weekOf = (at: number) => addDays('2026-10-04', 7 * at);
  const values = await loadAskedWeeks(
    ledger.pool,
    job,
    found.map((amount, at) => ({
      week: weekOf(at),
      rows: Array.from({ length: 20 }, (_, n) => ({
        query: `q${n}`,
        root_domain: n < amount ? 'acme.example' : 'other.example',
        normalized_url: `https://x.example/${n}`,
        rank_standard: '1',
        rank_true: '1',
        average_search_volume: String(10 + n),
      })),
    })),
  );
  const backIn = async (at: number) =>
    (await ask('news', { ...values, weeks: `2026-10-04..${weekOf(at)}`, compare: 'week', weighted: 'true' }))
      .filter(({ measure, what }) => measure === 'found' && what?.startsWith('Back'))
      .map(({ details }) => details);
  expect(await backIn(4)).toEqual(['18 searches find us; before the fall in the week of 2026-10-18, 20 did']);
  for (const at of [1, 2, 3, 5]) expect([at, await backIn(at)]).toEqual([at, []]);
});

it('tells of a rival whose share of the first places changed by more than chance, and the keywords that it took from us', async () => {
  const job = jobOf();
  await ownDomain(ledger.pool, job);
  // Of 20 searches of equal weight, the rival takes our place in eight, and nothing else changes.
  const rowsOf = (taken: number) =>
    Array.from({ length: 20 }, (_, n) =>
      [n < taken ? 'rival.example' : 'acme.example', 'other.example'].map((site, at) => ({
        query: `q${String(n).padStart(2, '0')}`,
        root_domain: site,
        normalized_url: `https://${site}/${n}`,
        rank_standard: String(at + 1),
        rank_true: String(at + 1),
        average_search_volume: '100',
      })),
    ).flat();
  const values = await loadAskedWeeks(
    ledger.pool,
    job,
    [1, 9, 1].map((taken, at) => ({ week: addDays(BEFORE, 7 * (at - 1)), rows: rowsOf(taken) })),
  );
  const rivalsIn = async (week: string) => {
    const shown = await ask('news', { ...values, weeks: `2026-10-04..${week}`, compare: 'week', weighted: 'true' });
    return columnsOf(
      shown.filter(({ measure }) => measure === 'first_places'),
      'competitor',
      'details',
      'points',
      'reading',
    );
  };
  expect(await rivalsIn(BEFORE)).toEqual([
    [
      'rival.example',
      'rival.example holds 4.50 % of the first places, 4.00 points more; it took 4.00 from us: “q01” (−0.50), “q02” (−0.50), “q03” (−0.50) and 5 others',
      '4.000',
      'more',
    ],
  ]);
  expect(await rivalsIn(NOW)).toEqual([
    [
      'rival.example',
      'rival.example holds 0.50 % of the first places, 4.00 points less; we took 4.00 from it: “q01” (+0.50), “q02” (+0.50), “q03” (+0.50) and 5 others',
      '-4.000',
      'less',
    ],
  ]);
});

it('has readable names of assistants and measures in its CSV, beside their values', async () => {
  const of = prompt('google_ai_overview', { prompt_type: 'unbranded' });
  const brand = (attribution: string) => [{ ...of, brand_or_product_name: attribution, brand_or_product_attribution: attribution }];
  const values = await loadDatasets(ledger.pool, [BEFORE, NOW], {
    ai_search_response: [[{ ...of, ai_response: 'Acme.' }], [{ ...of, ai_response: 'Others.' }]],
    ai_search_brands: [brand('You'), brand('Partner')],
  });
  const panel = readBoards()
    .find((board) => board.name === 'home')
    ?.panels.find(({ name }) => name === 'news');
  if (!panel) throw new Error('no panel');
  const csv = await text(
    await streamCsv(ledger.pool, panel, { ...values, compare: 'week', branded: null }, { gone: new AbortController().signal }),
  );
  const [head, ...lines] = csv.split('\r\n').filter(Boolean);
  expect(head).toMatch(/,assistant,.*,measure_title,assistant_name$/);
  expect(lines).toEqual([
    expect.stringMatching(
      /^2026-11-08,Prompts lost: Google AI Overview,"?Google AI Overview stopped naming us .*,google_ai_overview,.*,Mention rate,Google AI Overview$/,
    ),
  ]);
});
