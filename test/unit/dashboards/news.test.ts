// News on a page: where each line and the list lead.
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { News } from '../../../src/dashboards/news.tsx';

const panel = readBoards()
  .flatMap(({ panels }) => panels)
  .find(({ board, name }) => board === 'home' && name === 'news');
const NAMES = ['week', 'what', 'details', 'points', 'measure', 'assistant', 'competitor', 'reading'];
const rows = {
  columns: NAMES.map((name) => ({ name, kind: 'text' as const })),
  rows: [
    ['2026-11-08', 'Prompts lost: gemini', 'gemini stopped naming us', '-2', 'mention_rate', 'gemini', null, 'less'],
    ['2026-11-08', 'Rival: r.example', 'r.example holds 4 %', '1', 'first_places', null, 'r.example', 'more'],
  ],
};
const place = { here: '/boards/home?account=1', chosenFor: () => new URLSearchParams({ account: '1' }) };

function linksOf(partOf?: string): readonly string[] {
  if (!panel) throw new Error('Home has no news');
  const html = renderToString(h(News, { panel, rows, place: { ...place, partOf } })).replaceAll('&amp;', '&');
  return [...html.matchAll(/href="(\/boards\/[^"]*)"/g)].map(([, href = '']) => href.replace(/&back=[^#]*/, ''));
}

describe('the news', () => {
  it('lead to why a figure changed, of a rival to what it took from us, and then to what can be won', () => {
    expect(linksOf()).toEqual([
      '/boards/why?account=1&measure=mention_rate&assistant=gemini',
      '/boards/rivals?account=1&competitor=r.example',
      '/boards/to-win?account=1',
    ]);
  });

  it('of a report do not lead to the lists, which the report has', () => {
    expect(linksOf('report')).toHaveLength(2);
  });
});
