import { expect, it } from 'vitest';
import type { ShownPanel } from '../../../src/dashboards/board-view.ts';
import { headlineOf, newsOf } from '../../../src/dashboards/headline.ts';
import { type Panel, parsePanel } from '../../../src/dashboards/panel-file.ts';

const COLUMNS = ['week', 'figure', 'compared_with', 'change', 'added', 'dropped', 'reading', 'uncompared', 'reason'] as const;
type Week = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

const BOARDS = new Map([
  ['why', undefined],
  ['rivals', undefined],
  ['search', 'keyword' as const],
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
  const measure = name.toLowerCase().replaceAll(' ', '_');
  return {
    panel: panelOf(name, { Chart: 'tiles', X: 'week', Y: 'figure', Unit: unit, Measure: measure }),
    result: { columns, rows: [row], isCut: false },
  };
}

const saidOf = (...shown: readonly ShownPanel[]): readonly string[] => headlineOf(shown).map(({ text }) => text);
const WEEK = { week: '2026-11-08', compared_with: '2026-11-01' };

const NEWS = ['week', 'details', 'points', 'measure', 'assistant', 'competitor', 'reading'] as const;
type NewsRow = Readonly<Partial<Record<(typeof NEWS)[number], string>>>;

function newsPanel(...rows: readonly NewsRow[]): ShownPanel {
  const columns = NEWS.map((name) => ({ name, kind: 'text' as const }));
  const panel = panelOf('news', { Chart: 'news', X: 'details', Y: 'points', Links: 'measure = why, assistant = why, competitor = rivals' });
  const cells = rows.map((row) => NEWS.map((name) => ({ week: WEEK.week, ...row })[name] ?? null));
  return { panel, result: { columns, rows: cells, isCut: false } };
}

const LOST: NewsRow = { details: '2 keywords lost first places: “a” and “b”', points: '-1.104', measure: 'visibility', reading: 'less' };

it('tells the news in their order, with amount and measure, and the assistant by its readable name', () => {
  const stopped = {
    details: 'google_ai_overview stopped naming us in answers to 1 prompt: “x”',
    points: '-0.55',
    measure: 'mention_rate',
    assistant: 'google_ai_overview',
    reading: 'within noise',
  };
  const tile = tileOf('Visibility', '%', { ...WEEK, figure: '8', change: '-1.1', reading: 'less' });
  expect(saidOf(tile, newsPanel(LOST, stopped))).toEqual([
    '\u22121.10 points of visibility: 2 keywords lost first places: “a” and “b”',
    '\u22120.55 points of mention rate: Google AI Overview stopped naming us in answers to 1 prompt: “x”',
  ]);
});

it('never shows an amount as nothing', () => {
  const { panel, result } = newsPanel({ ...LOST, points: '0.001' }, { ...LOST, points: '-0.004' });
  if ('failure' in result) throw new Error('no rows');
  expect(newsOf(panel, result).map(({ shown }) => shown)).toEqual(['+<0.01', '\u2212<0.01']);
});

it('knows what is for the better, and that noise is neither', () => {
  const { panel, result } = newsPanel(
    LOST,
    { ...LOST, points: '1', reading: 'more' },
    { ...LOST, measure: 'criticism', points: '3', reading: 'more' },
    { ...LOST, measure: 'first_places', competitor: 'rival.example', points: '3', reading: 'more' },
    { ...LOST, measure: 'criticism', points: '-3', reading: 'within noise' },
  );
  if ('failure' in result) throw new Error('no rows');
  expect(newsOf(panel, result).map(({ isGood, isSignal }) => [isGood, isSignal])).toEqual([
    [false, true],
    [true, true],
    [false, true],
    [false, true],
    [true, false],
  ]);
});

it('says first that a week is quiet, and then what happened all the same', () => {
  const still = tileOf('Sentiment', '%', { ...WEEK, figure: '70', change: '1', reading: 'within noise' });
  const quiet = 'A quiet week: no change since the week of 2026-11-01 is known to be more than chance (sentiment).';
  expect(saidOf(still, newsPanel())).toEqual([quiet]);
  expect(saidOf(still, newsPanel({ ...LOST, reading: 'within noise' }))[0]).toBe(quiet);
  expect(saidOf(still, newsPanel({ ...LOST, reading: 'within noise' }))).toHaveLength(2);
});

it('tells a change that is more than chance where no line of its direction is, the largest first', () => {
  const rate = tileOf('Mention rate', '%', { ...WEEK, figure: '40.2', change: '-2.4', reading: 'less' });
  const three = tileOf('First three', '%', { ...WEEK, figure: '40', change: '8.65', reading: 'more' });
  const line = { ...LOST, measure: 'mention_rate' };
  const risen = 'First three rose by 8.65 points like for like, more than chance.';
  expect(saidOf(rate, three, newsPanel({ ...line, reading: 'within noise' })).slice(0, 2)).toEqual([
    risen,
    'Mention rate fell by 2.4 points like for like, more than chance; no line below is so by itself.',
  ]);
  // A line of the other direction tells nothing of it.
  expect(saidOf(rate, newsPanel({ ...line, points: '1', reading: 'less' }))[0]).toMatch(/^Mention rate fell/);
  expect(saidOf(rate, three, newsPanel(line))).toEqual([risen, expect.stringMatching(/^\u22121\.10 points/)]);
});

it('is not quiet while a line is more than chance, though the whole is not', () => {
  const still = tileOf('Mention rate', '%', { ...WEEK, figure: '40', change: '-2.6', reading: 'within noise' });
  const lines = [
    { ...LOST, measure: 'mention_rate' },
    { ...LOST, measure: 'mention_rate', points: '0.9', reading: 'more' },
  ];
  expect(saidOf(still, newsPanel(...lines)).filter((text) => text.startsWith('A quiet week'))).toEqual([]);
});

it('says why nothing can be compared, and not that a week is quiet', () => {
  const uncompared = 'the week of 2025-11-16 is not there';
  const tile = (name: string) => tileOf(name, '%', { ...WEEK, figure: '40', uncompared });
  expect(saidOf(tile('Mention rate'), tile('Visibility'), newsPanel())).toEqual([`Nothing can be compared: ${uncompared}.`]);
});

it('says where a figure moved by what is tracked more than by what happened', () => {
  const of = (change: string, added: string, dropped: string) => ({
    ...WEEK,
    figure: '9.87',
    change,
    added,
    dropped,
    reading: 'within noise',
  });
  const told = 'Searches or prompts that were added or dropped since the week of 2026-11-01 move visibility by';
  const rest = 'points; the changes above leave them out.';
  const quiet = 'A quiet week: no change since the week of 2026-11-01 is known to be more than chance (visibility).';
  expect(saidOf(tileOf('Visibility', '%', of('0.00', '1.42', '0.00')))).toEqual([quiet, `${told} +1.42 ${rest}`]);
  expect(saidOf(tileOf('Visibility', '%', of('0.50', '0.20', '-1.00')))).toEqual([quiet, `${told} \u22120.80 ${rest}`]);
  // Its change is more, or they make up for each other.
  expect(saidOf(tileOf('Visibility', '%', of('-0.50', '0.20', '0.10')))).toEqual([quiet]);
  expect(saidOf(tileOf('Visibility', '%', of('0.00', '0.20', '-0.20')))).toEqual([quiet]);
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

it('tells of the newest week only, and names the figures that end before it', () => {
  const past = { week: '2026-10-11', compared_with: '2026-10-04', figure: '29.8', change: '-13.3', reading: 'less' };
  const still = tileOf('Visibility', '%', { ...WEEK, figure: '70', change: '1', reading: 'within noise' });
  expect(saidOf(tileOf('Mention rate', '%', past), still, newsPanel({ ...LOST, week: '2026-10-11' }))).toEqual([
    'A quiet week: no change since the week of 2026-11-01 is known to be more than chance (visibility).',
    'No week after that of 2026-10-11: mention rate.',
  ]);
});
