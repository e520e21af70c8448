// The news as Home shows it: amounts as bars, colours only of what is known, and the way to why.
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { News } from '../../../src/dashboards/news.tsx';

const COLUMNS = ['week', 'what', 'details', 'points', 'measure', 'assistant', 'reading'] as const;
const place = { here: '/boards/home?account=1', chosenFor: () => new URLSearchParams('account=1&country=US') };

function show(...rows: readonly Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>[]): string {
  const panel = readBoards()
    .flatMap(({ panels }) => panels)
    .find(({ board, chart }) => board === 'home' && chart === 'news');
  if (!panel) throw new Error('no panel of news');
  const columns = COLUMNS.map((name) => ({ name, kind: name === 'points' ? ('number' as const) : ('text' as const) }));
  return renderToString(h(News, { panel, rows: { columns, rows: rows.map((row) => COLUMNS.map((name) => row[name] ?? null)) }, place }));
}

it('a bar is as long as its amount is of the largest, and noise has no colour', () => {
  const html = show(
    { details: 'lost', points: '-2', measure: 'visibility', reading: 'less' },
    { details: 'won', points: '0.5', measure: 'visibility', reading: 'within noise' },
    { details: 'criticised less', points: '-0.5', measure: 'criticism', reading: 'less' },
  );
  expect([...html.matchAll(/class="bar (\w+)".*?width="([\d.]+)"/g)].map(([, look, width]) => [look, width])).toEqual([
    ['down', '100'],
    ['still', '25'],
    ['up', '25'],
  ]);
  expect(html.match(/within noise/g)).toHaveLength(1);
});

it('a line leads to why, of its measure and assistant, with what is chosen and the way back', () => {
  const html = show({ details: 'chatgpt stopped', points: '-1', measure: 'mention_rate', assistant: 'chatgpt', reading: 'less' });
  const [, href = ''] = /href="(\/boards\/why[^"]*)"/.exec(html) ?? [];
  expect(Object.fromEntries(new URL(href.replaceAll('&amp;', '&'), 'http://here').searchParams)).toEqual({
    account: '1',
    country: 'US',
    measure: 'mention_rate',
    assistant: 'chatgpt',
    back: '/boards/home?account=1#news',
  });
  expect(html).toContain('ChatGPT stopped');
  expect(html).toContain('href="/glossary#mention_rate"');
});
