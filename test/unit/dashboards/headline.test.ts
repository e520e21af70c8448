import { expect, it } from 'vitest';
import type { ShownPanel } from '../../../src/dashboards/board-view.ts';
import { headlineOf } from '../../../src/dashboards/headline.ts';
import { leadOf } from '../../../src/dashboards/links.ts';
import { type Panel, parsePanel } from '../../../src/dashboards/panel-file.ts';

const COLUMNS = ['week', 'figure', 'compared_with', 'change', 'reading', 'uncompared', 'reason'] as const;
type Week = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

const BOARDS = new Map([
  ['search', 'keyword' as const],
  ['site', 'site' as const],
]);

function panelOf(name: string, header: Readonly<Record<string, string>>): Panel {
  const entries = { Title: name, Question: 'What?', Computed: 'By the test.', Datasets: 'all', ...header };
  const text = `${Object.entries(entries)
    .map(([key, value]) => `-- ${key}: ${value}`)
    .join('\n')}\nSELECT 1`;
  const panel = parsePanel({ board: 'home', name, text, datasets: ['a'], boards: BOARDS }, (line, problem) => {
    throw new Error(`${line}: ${problem}`);
  });
  if (!panel) throw new Error('no panel');
  return panel;
}

function tileOf(name: string, unit: string, week: Week): ShownPanel {
  const columns = COLUMNS.map((column) => ({
    name: column,
    kind: column === 'figure' || column === 'change' ? ('number' as const) : ('text' as const),
  }));
  const row = COLUMNS.map((column) => week[column] ?? null);
  return { panel: panelOf(name, { Chart: 'tiles', X: 'week', Y: 'figure', Unit: unit }), result: { columns, rows: [row], isCut: false } };
}

const saidOf = (...shown: readonly ShownPanel[]): readonly string[] => headlineOf(shown).map(({ text }) => text);
const WEEK = { week: '2026-11-08', compared_with: '2026-11-01' };

it('names the figures that moved by more than noise, and says whether a place is better', () => {
  expect(
    saidOf(
      tileOf('Mention rate', '%', { ...WEEK, figure: '31.0', change: '-4.2', reading: 'less' }),
      tileOf('Average best place', 'place', { ...WEEK, figure: '5.02', change: '0.77', reading: 'more' }),
      tileOf('Sentiment', '%', { ...WEEK, figure: '70.0', change: '1.0', reading: 'within noise' }),
    ),
  ).toEqual(['Mention rate fell by 4.2 points to 31 %.', 'Average best place worsened by 0.77 places to 5.02.']);
});

it('says that nothing moved only where something was compared', () => {
  const still = tileOf('Sentiment', '%', { ...WEEK, figure: '70', change: '1', reading: 'within noise' });
  const gap = tileOf('Visibility', '%', { week: '2026-11-08', reason: 'held (rankings)' });
  expect(saidOf(still, gap)).toEqual([
    'A quiet week: no change since the week of 2026-11-01 is known to be more than chance (sentiment).',
    'Without a comparison: visibility.',
  ]);
  expect(saidOf(gap)).toEqual(['Without a comparison: visibility.']);
});

it('names what won and what lost most, and not what chance explains', () => {
  const panel = panelOf('Topics', { Chart: 'movers', X: 'topic', Y: 'before, now', Beside: 'change, More often, Less often' });
  const columns = ['topic', 'before', 'now', 'change', 'reading'].map((name) => ({ name, kind: 'text' as const }));
  const rows = [
    ['a', '10', '30', '20', 'more'],
    ['b', '30', '20', '-10', 'less'],
    ['c', '30', '5', '-25', 'within noise'],
  ];
  const tile = tileOf('Sentiment', '%', { ...WEEK, figure: '70', change: '9', reading: 'more' });
  expect(saidOf(tile, { panel, result: { columns, rows, isCut: false } })).toEqual([
    'Sentiment rose by 9 points to 70 %.',
    'Topics, more often most: a (10 → 30); less often most: b (30 → 20).',
  ]);
  expect(saidOf({ panel, result: { columns, rows, isCut: false } })).toEqual([]);
});

it('names the unit of the numbers that moved most, if their columns have one', () => {
  const panel = panelOf('Searches', { Chart: 'movers', X: 'query', Y: 'place_before, place_now', Beside: 'effect, Won, Lost' });
  const columns = ['query', 'place_before', 'place_now', 'effect'].map((name) => ({ name, kind: 'text' as const }));
  const tile = tileOf('Sentiment', '%', { ...WEEK, figure: '70', change: '9', reading: 'more' });
  expect(saidOf(tile, { panel, result: { columns, rows: [['boots', '3', '2', '90']], isCut: false } }).at(-1)).toBe(
    'Searches, won most: boots (place 3 → 2).',
  );
});

it('names figures that changed before those that did not', () => {
  const found = panelOf('Worth a look', { Chart: 'table', Headline: 'rule, told' });
  const columns = ['rule', 'told'].map((name) => ({ name, kind: 'text' as const }));
  const still = (name: string) => tileOf(name, '%', { ...WEEK, figure: '70', change: '1', reading: 'within noise' });
  const rows = [['Lost entirely', '“crm” does not find us any more']];
  expect(saidOf(still('Visibility'), still('Sentiment'), { panel: found, result: { columns, rows, isCut: false } })).toEqual([
    '“crm” does not find us any more.',
    'A quiet week: no change since the week of 2026-11-01 is known to be more than chance (visibility, sentiment).',
  ]);
});

it('says how a search is tracked, and links to it as it is tracked', () => {
  const header = { Chart: 'movers', Links: 'query = search', X: 'query', Y: 'place_before, place_now', Beside: 'effect, Won, Lost' };
  const panel = panelOf('Searches', header);
  const columns = ['query', 'place_before', 'place_now', 'effect', 'engine', 'country', 'device'].map((name) => ({
    name,
    kind: 'text' as const,
  }));
  const tile = tileOf('Sentiment', '%', { ...WEEK, figure: '70', change: '9', reading: 'more' });
  const row = ['stoves', '1', null, '-90', 'BING', 'US', 'SMARTPHONE'];
  const fact = headlineOf([tile, { panel, result: { columns, rows: [row], isCut: false } }]).at(-1);
  expect(fact?.text).toBe('Searches, lost most: stoves (Smartphone, Bing, US: place 1 → –).');
  const place = { here: '/', chosenFor: () => new URLSearchParams('account=1&device=DESKTOP') };
  const leads = fact?.parts.flatMap(({ named }) => (named ? [leadOf(panel, named, place)] : []));
  expect(leads).toEqual(['/boards/search?account=1&device=SMARTPHONE&engine=BING&country=US&keyword=stoves&back=%2F%23Searches']);
});

it('names two of each side, and what moved on several devices once', () => {
  const panel = panelOf('Searches', { Chart: 'movers', X: 'query', Y: 'place_before, place_now', Beside: 'effect, Won, Lost' });
  const columns = ['query', 'place_before', 'place_now', 'effect'].map((name) => ({ name, kind: 'text' as const }));
  const rows = [
    ['boots', '3', '1', '90'],
    ['tents', '5', '4', '80'],
    ['boots', '3', '2', '70'],
    ['socks', '9', '8', '10'],
    ['hats', '1', '2', '-10'],
    ['hats', '1', null, '-20'],
  ];
  const tile = tileOf('Sentiment', '%', { ...WEEK, figure: '70', change: '9', reading: 'more' });
  expect(saidOf(tile, { panel, result: { columns, rows, isCut: false } }).at(-1)).toBe(
    'Searches, won most: boots (place 3 → 1), tents (place 5 → 4); lost most: hats (place 1 → –).',
  );
});

it('does not name what has too few prompts to tell it from chance', () => {
  const panel = panelOf('Topics', { Chart: 'movers', X: 'topic', Y: 'before, now', Beside: 'change, More often, Less often' });
  const columns = ['topic', 'before', 'now', 'change', 'reading'].map((name) => ({ name, kind: 'text' as const }));
  const rows = [
    ['one prompt', '0', '100', '100', null],
    ['a', '10', '30', '20', 'more'],
  ];
  const tile = tileOf('Sentiment', '%', { ...WEEK, figure: '70', change: '9', reading: 'more' });
  expect(saidOf(tile, { panel, result: { columns, rows, isCut: false } })).toEqual([
    'Sentiment rose by 9 points to 70 %.',
    'Topics, more often most: a (10 → 30).',
  ]);
});

it('names moves of the newest week only, and the figures that end before it', () => {
  const past = { week: '2026-10-11', compared_with: '2026-10-04', figure: '29.8', change: '-13.3', reading: 'less' };
  const still = tileOf('Visibility', '%', { ...WEEK, figure: '70', change: '1', reading: 'within noise' });
  const panel = panelOf('Topics', { Chart: 'movers', X: 'topic', Y: 'before, now', Beside: 'change, More often, Less often' });
  const columns = ['week', 'topic', 'before', 'now', 'change', 'reading'].map((name) => ({ name, kind: 'text' as const }));
  const rows = [['2026-10-11', 'a', '10', '30', '20', 'more']];
  expect(saidOf(tileOf('Mention rate', '%', past), still, { panel, result: { columns, rows, isCut: false } })).toEqual([
    'A quiet week: no change since the week of 2026-11-01 is known to be more than chance (visibility).',
    'No week after that of 2026-10-11: mention rate.',
  ]);
});

it('names the weightiest signal of each rule, as a sentence', () => {
  const panel = panelOf('Worth a look', { Chart: 'table', Headline: 'rule, told' });
  const columns = ['rule', 'told'].map((name) => ({ name, kind: 'text' as const }));
  const rows = [
    ['Lost entirely', '“crm” does not find us any more'],
    ['Lost entirely', 'and 4 more'],
    ['New negative sentences', 'Gemini says 5 new negative things, such as “A buckle broke.”'],
  ];
  const tile = tileOf('Sentiment', '%', { ...WEEK, figure: '70', change: '9', reading: 'more' });
  expect(saidOf(tile, { panel, result: { columns, rows, isCut: false } })).toEqual([
    'Sentiment rose by 9 points to 70 %.',
    '“crm” does not find us any more.',
    'Gemini says 5 new negative things, such as “A buckle broke.”',
  ]);
  const other = panelOf('Changes', { Chart: 'table' });
  expect(saidOf(tile, { panel: other, result: { columns, rows, isCut: false } })).toEqual(['Sentiment rose by 9 points to 70 %.']);
});

it('records what each part names, so that it can link there', () => {
  const header = { Chart: 'table', Headline: 'rule, told', Links: 'query = search, site', Leads: 'told' };
  const found = panelOf('Worth a look', header);
  const movers = panelOf('Searches', { Chart: 'movers', X: 'query', Y: 'place_before, place_now', Beside: 'effect, Won, Lost' });
  const text = (names: readonly string[]) => names.map((name) => ({ name, kind: 'text' as const }));
  const facts = headlineOf([
    tileOf('Sentiment', '%', { ...WEEK, figure: '70', change: '9', reading: 'more' }),
    {
      panel: found,
      result: { columns: text(['rule', 'told', 'query', 'site']), rows: [['Lost', 'Lost crm.', 'crm', null]], isCut: false },
    },
    {
      panel: movers,
      result: {
        columns: text(['query', 'place_before', 'place_now', 'effect']),
        rows: [
          ['boots', '3', '2', '90'],
          ['tents', '1', null, '-50'],
        ],
        isCut: false,
      },
    },
  ]);
  expect(facts.map(({ parts }) => parts.filter(({ named }) => named))).toEqual([
    [],
    [
      {
        text: 'Lost crm.',
        named: [
          { column: 'query', cell: 'crm' },
          { column: 'site', cell: null },
        ],
      },
    ],
    [
      { text: 'boots', named: [{ column: 'query', cell: 'boots' }] },
      { text: 'tents', named: [{ column: 'query', cell: 'tents' }] },
    ],
  ]);
  expect(facts.at(-1)?.text).toBe('Searches, won most: boots (place 3 → 2); lost most: tents (place 1 → –).');
});
