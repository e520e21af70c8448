// Where cells lead, and the way back.
import { describe, expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { hrefOf } from '../../../src/dashboards/links.ts';

const panels = readBoards().flatMap((board) => board.panels);

it.each(panels.filter(({ chart }) => chart === 'movers').map((panel) => [`${panel.board}/${panel.name}`, panel] as const))(
  '%s leads from what has moved to its board',
  (_, panel) => {
    expect(panel.links.has(panel.x ?? '')).toBe(true);
  },
);

it.each([
  ['signals', 'found'],
  ['home', 'signals'],
])('signals of %s/%s lead to all that they are about', (ofBoard, ofName) => {
  const found = panels.find(({ board, name }) => board === ofBoard && name === ofName);
  expect([...(found?.links.keys() ?? [])].sort()).toEqual(['assistant', 'brand', 'query', 'site', 'topic', 'url']);
});

describe('the way back', () => {
  const panel = panels.find(({ links }) => links.has('site'));
  const backOf = (here: string): string | null => {
    if (!panel) throw new Error('no panel leads to a site');
    const href = hrefOf(panel, 'site', 'x.example', { here, chosen: new URLSearchParams() });
    return new URLSearchParams(href?.split('?')[1]).get('back');
  };

  it('is in each cell while it is short', () => {
    expect(backOf('/boards/rankings?account=1')).toBe(`/boards/rankings?account=1#${panel?.name}`);
    expect(backOf(`/boards/rankings?${'x'.repeat(600)}`)).toBeNull();
  });
});

it('to a board of no one thing takes along what the cell names, where the board goes by it', () => {
  const links = new Map([
    ['assistant', { board: 'ai-visibility', about: undefined }],
    ['brand', { board: 'ai-visibility', about: undefined }],
  ]);
  const place = { here: '/', chosen: new URLSearchParams('account=1&assistant=chatgpt') };
  const of = (column: string, cell: string) => hrefOf({ name: 'found', links }, column, cell, place);
  expect(of('assistant', 'gemini')).toMatch(/^\/boards\/ai-visibility\?account=1&assistant=gemini&/);
  expect(of('brand', 'Acme')).toMatch(/^\/boards\/ai-visibility\?account=1&assistant=chatgpt&back/);
});
