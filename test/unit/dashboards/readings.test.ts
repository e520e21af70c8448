// Where a change is coloured as one: only where it is known to be more than chance.
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import type { Column, Row, Rows } from '../../../src/dashboards/cells.ts';
import type { Panel } from '../../../src/dashboards/panel-file.ts';
import { ResultTable } from '../../../src/dashboards/result-table.tsx';
import { Tiles } from '../../../src/dashboards/tiles.tsx';

const panels = readBoards().flatMap((board) => board.panels);
function panelOf(board: string, name: string): Panel {
  const panel = panels.find((each) => each.board === board && each.name === name);
  if (!panel) throw new Error('no such panel');
  return panel;
}
const columnsOf = (names: readonly string[], numbers: readonly string[]): Column[] =>
  names.map((name) => ({ name, kind: numbers.includes(name) ? 'number' : 'text' }));
const place = { here: '/', chosenFor: () => new URLSearchParams(), order: { sort: undefined, find: '' }, alone: '/', isAlone: false };
/** The changes that are coloured. */
const coloured = (html: string): readonly string[] => [...html.matchAll(/class="[^"]*\b(up|down)\b/g)].map(([, side]) => side ?? '');

describe.each([
  ['more', 1, 'more than noise'],
  ['within noise', 0, 'within noise'],
  [null, 0, 'too few to tell'],
] as const)('a reading of %s', (reading, amount, words) => {
  it('in tiles', () => {
    const columns = columnsOf(['week', 'figure', 'compared_with', 'change', 'reading'], ['figure', 'change']);
    const rows: Rows = { columns, rows: [['2026-11-08', '31.0', '2026-11-01', '4.2', reading]] };
    const html = renderToString(h(Tiles, { panel: panelOf('home', 'mention-rate'), rows }));
    expect([coloured(html).length, html.includes(words), html.includes('class="signal"')]).toEqual([amount, true, amount > 0]);
  });

  it('in tables', () => {
    const columns = columnsOf(['topic', 'percent_before', 'percent_now', 'change', 'reading'], ['percent_before', 'percent_now', 'change']);
    const shown: readonly Row[] = [['Tents', '0.0', '100.0', '100.0', reading]];
    const rows: Rows = { columns, rows: shown };
    const panel = panelOf('rivals', 'share-of-voice');
    expect(coloured(renderToString(h(ResultTable, { panel, rows, shown, place })))).toHaveLength(amount);
  });
});

it('a sentence links to its subject, which has no column of its own', () => {
  const columns = columnsOf(['what', 'details', 'query', 'site', 'url', 'topic', 'assistant', 'brand', 'panel', 'week'], []);
  const shown: readonly Row[] = [
    ['Lost', 'crm does not find us', 'crm', null, 'https://acme.example/crm', null, null, null, 'search', null],
    ['A rival rises', 'rival.example rises', null, 'rival.example', null, null, null, null, null, null],
    ['A rival rises', 'and 2 more', null, null, null, null, null, null, null, null],
    ['Criticism', 'Gemini says', null, null, null, null, 'gemini', 'Acme', 'ai-visibility/against-us?branded=', '2026-11-15'],
    ['Share', 'Cited less', null, null, null, null, null, null, 'ai-visibility/citation-share', null],
  ];
  const html = renderToString(h(ResultTable, { panel: panelOf('signals', 'found'), rows: { columns, rows: shown }, shown, place }));
  const leads = [...html.matchAll(/href="(\/boards\/[^"]*)"><bdi>([^<]*)/g)].map(([, href, text]) => [
    href?.replace(/(&amp;|(?<=\?))back=[^#]*/, ''),
    text,
  ]);
  expect(leads).toEqual([
    ['/boards/search?keyword=crm&amp;page=https%3A%2F%2Facme.example%2Fcrm', 'crm does not find us'],
    ['/boards/site?site=rival.example', 'rival.example rises'],
    [
      '/boards/ai-visibility?branded=&amp;assistant=gemini&amp;find.against-us=Acme&amp;weeks=2026-08-23..2026-11-15#against-us',
      'Gemini says',
    ],
    ['/boards/ai-visibility?#citation-share', 'Cited less'],
  ]);
  expect(html.match(/<th /g)).toHaveLength(3);
});
