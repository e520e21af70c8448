// Where cells lead, and the way back.
import { describe, expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { againstOf, chosenOf, hrefOf, moreOf, readTarget, whyOf, whyOfCell } from '../../../src/dashboards/links.ts';

const boards = readBoards();
const panels = boards.flatMap((board) => board.panels);

it('signals lead to all that they are about', () => {
  const found = panels.find(({ board, name }) => board === 'signals' && name === 'found');
  expect([...(found?.links.keys() ?? [])].sort()).toEqual([
    'assistant',
    'brand',
    'country',
    'device',
    'engine',
    'query',
    'site',
    'topic',
    'url',
  ]);
});

it('what has no name leads nowhere: nothing, and all that a table does not name', () => {
  const links = new Map([['keyword', { board: 'search', about: 'keyword' as const }]]);
  const place = { here: '/boards/why', chosenFor: () => new URLSearchParams() };
  for (const cell of ['(none)', '1 other', '90 others', 'all 90', null])
    expect(hrefOf({ name: 'units', links }, 'keyword', cell, place)).toBeUndefined();
  for (const cell of ['others', '90 others like it', 'all 90 places'])
    expect(hrefOf({ name: 'units', links }, 'keyword', cell, place)).toContain('keyword=');
});

describe('the way back', () => {
  const panel = panels.find(({ links }) => links.has('site'));
  const backOf = (here: string): string | null => {
    if (!panel) throw new Error('no panel leads to a site');
    const href = hrefOf(panel, 'site', 'x.example', { here, chosenFor: () => new URLSearchParams() });
    return new URLSearchParams(href?.split('?')[1]).get('back');
  };

  it('is in each cell while it is short', () => {
    expect(backOf('/boards/rankings?account=1')).toBe(`/boards/rankings?account=1#${panel?.name}`);
    expect(backOf(`/boards/rankings?${'x'.repeat(600)}`)).toBeNull();
  });
});

it('to a board that is not about one thing passes on what the cell names, if the board filters by it', () => {
  const links = new Map([
    ['assistant', { board: 'ai-visibility', about: undefined }],
    ['brand', { board: 'ai-visibility', about: undefined }],
  ]);
  const place = { here: '/', chosenFor: () => new URLSearchParams('account=1&assistant=chatgpt') };
  const of = (column: string, cell: string) => hrefOf({ name: 'found', links }, column, cell, place);
  expect(of('assistant', 'gemini')).toMatch(/^\/boards\/ai-visibility\?account=1&assistant=gemini&/);
  expect(of('brand', 'Acme')).toMatch(/^\/boards\/ai-visibility\?account=1&assistant=chatgpt&back/);
});

const boardNamed = (wanted: string) => {
  const board = boards.find(({ name }) => name === wanted);
  if (!board) throw new Error(`no board ${wanted}`);
  return board;
};

it.each(panels.flatMap(({ board, name, from }) => (from ? [[`${board}/${name}`, from] as const] : [])))(
  '%s leads to a panel that filters by the choices of %s',
  (_, from) => {
    const to = readTarget(from);
    const panel = boardNamed(to.board).panels.find(({ name }) => name === to.panel);
    const known = panel?.variables.map(({ name }) => name) ?? [];
    expect(Object.keys(to.choices).filter((name) => !known.some((each) => each === name))).toEqual([]);
    expect(panel).toBeDefined();
  },
);

it('the choices of a link to a panel come before what is chosen', () => {
  const place = { here: '/boards/home', chosenFor: () => new URLSearchParams('account=1&weighted=true') };
  expect(moreOf('rankings/rank-distribution?weighted=false', place)).toBe(
    '/boards/rankings?account=1&weighted=false&back=%2Fboards%2Fhome#rank-distribution',
  );
});

it('every figure of Home leads to why it changed, with what is chosen', () => {
  const tiles = boardNamed('home').panels.filter(({ chart }) => chart === 'tiles');
  expect(tiles.length).toBeLessThanOrEqual(6);
  const known = boardNamed('why').variables.map(({ name }) => name);
  for (const { measure, variables } of tiles) {
    const place = { here: '/boards/home', chosenFor: () => new URLSearchParams('account=1&country=DE') };
    expect(whyOf(measure ?? '', place)).toBe(`/boards/why?account=1&country=DE&measure=${measure}&back=%2Fboards%2Fhome`);
    expect(variables.filter(({ name }) => !known.includes(name))).toEqual([]);
  }
});

it('a choice is passed on to a board with another default', () => {
  const { variables } = boardNamed('home');
  const choicesOf = (branded: string) =>
    variables.map((variable) => ({ variable, options: [], chosen: variable.name === 'branded' ? [branded].filter(Boolean) : [] }));
  const carried = (branded: string, to: string) => chosenOf(choicesOf(branded), {}, undefined, boardNamed(to)).get('branded');
  expect([carried('unbranded', 'topic'), carried('', 'topic'), carried('branded', 'topic')]).toEqual(['unbranded', '', 'branded']);
  expect([carried('unbranded', 'ai-visibility'), carried('unbranded', 'search')]).toEqual([null, null]);
});

describe('a change on a board of one thing', () => {
  const chosenFor = (): URLSearchParams => new URLSearchParams('account=1&country=DE');
  const whyIn = (href: string | undefined): Record<string, string> => {
    const { back: _, ...query } = Object.fromEntries(new URLSearchParams(href?.split('?')[1]));
    return query;
  };
  const things = boards.filter(({ about }) => about !== undefined);
  /** Their changes are those of result types and of places between two sites, of which no measure tells. */
  const WITHOUT = ['search/features', 'site/searches'];

  it.each(
    things.flatMap((board) =>
      board.panels.filter(({ changes }) => changes.length > 0).map((panel) => [`${panel.board}/${panel.name}`, panel] as const),
    ),
  )('%s leads to why, or no measure tells of it', (name, { changes, whys }) => {
    expect(changes.filter((column) => !whys.has(column))).toEqual(WITHOUT.includes(name) ? changes : []);
  });

  it.each([
    ['keyword', 'boots', { keyword: 'boots' }],
    ['prompt', 'best boots?', { prompt: 'best boots?', branded: '' }],
    ['topic', 'gear', { topics: 'gear' }],
    ['page', 'x.example/a', {}],
  ] as const)('chooses the %s that the board is about on the board Why, as far as this can', (name, value, chosen) => {
    const place = { here: '/boards/x', chosenFor, about: { name, value } };
    expect(whyIn(whyOf('mention_rate', place))).toEqual({ account: '1', country: 'DE', measure: 'mention_rate', ...chosen });
    const known = boardNamed('why').variables.map((variable) => variable.name as string);
    expect(Object.keys(chosen).filter((each) => !known.includes(each))).toEqual([]);
  });

  it('has the two weeks of a board that compares two', () => {
    const two = (): URLSearchParams => new URLSearchParams('account=1&week=2026-11-08&before=2026-10-11');
    expect(whyIn(whyOf('mention_rate', { here: '/boards/prompt', chosenFor: two }))).toEqual({
      account: '1',
      measure: 'mention_rate',
      weeks: '2026-08-16..2026-11-08',
      compare: '2026-10-11',
    });
  });

  it('has what its row names, and none of a site of others', () => {
    const panel = { name: 'prompts', whys: new Map([['change', 'citing_rate']]) };
    const hrefOfRow = (row: Record<string, string>) =>
      whyOfCell(panel, 'change', (column) => row[column] ?? null, { here: '/boards/page', chosenFor });
    const row = { change: 'new', prompt: 'best boots?', assistant: 'gemini', is_ours: 't' };
    expect(whyIn(hrefOfRow(row))).toEqual({
      account: '1',
      country: 'DE',
      measure: 'citing_rate',
      prompt: 'best boots?',
      assistant: 'gemini',
      branded: '',
    });
    expect(hrefOfRow({ ...row, is_ours: 'f' })).toBeUndefined();
    expect(hrefOfRow({ ...row, change: '' })).toBeUndefined();
  });
});

describe('a share on the board of a site', () => {
  const chosenFor = (): URLSearchParams => new URLSearchParams('account=1&country=DE');
  const ofSite = boards.filter(({ about }) => about === 'site').flatMap(({ panels }) => panels);
  const shares = ofSite.filter(({ chart, unit }) => chart === 'line' && unit === '%');

  it.each(shares.map((panel) => [panel.name, panel] as const))('%s leads to what one took from the other', (_, panel) => {
    const href = againstOf(panel, { here: '/boards/site', chosenFor, about: { name: 'site', value: 'rival.example' } });
    const [path, rest] = (href ?? '').split('?');
    const [query, name] = (rest ?? '').split('#');
    const target = boards.find((board) => path === `/boards/${board.name}`);
    expect(target?.panels.map((each) => each.name)).toContain(name);
    expect(target?.variables.map((variable) => variable.name)).toContain('competitor');
    expect(Object.fromEntries(new URLSearchParams(query))).toMatchObject({ account: '1', country: 'DE', competitor: 'rival.example' });
    expect(againstOf(panel, { here: '/boards/topic', chosenFor, about: { name: 'topics', value: 'gear' } })).toBeUndefined();
  });

  it('is there', () => expect(shares.length).toBeGreaterThan(1));
});
