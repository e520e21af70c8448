import { describe, expect, it } from 'vitest';
import type { Column, Row } from '../../../src/dashboards/cells.ts';
import { labelOf } from '../../../src/dashboards/labels.ts';
import type { Panel } from '../../../src/dashboards/panel-file.ts';
import { findSteady, newestFirst, orderRows, readOrder } from '../../../src/dashboards/table-order.ts';

const columns: Column[] = [
  { name: 'query', kind: 'text' },
  { name: 'device', kind: 'text' },
  { name: 'effect', kind: 'number' },
  { name: 'week', kind: 'date' },
];
const rows: Row[] = [
  ['boots', 'DESKTOP', '9', '2026-11-01'],
  ['Tents', 'DESKTOP', '10', '2026-11-08'],
  ['bags', 'DESKTOP', null, '2026-11-08'],
  ['axes', 'DESKTOP', '-1.5', '2026-11-01'],
];
const names = (found: readonly Row[]): (string | null | undefined)[] => found.map(([name]) => name);
const orderOf = (query: Record<string, string | string[]>) => readOrder({ name: 'moves' }, query);

describe('the order of a table by its address', () => {
  it.each([
    [{}, ['boots', 'Tents', 'bags', 'axes']],
    [{ 'sort.moves': 'effect' }, ['axes', 'boots', 'Tents', 'bags']],
    [{ 'sort.moves': '-effect' }, ['Tents', 'boots', 'axes', 'bags']],
    [{ 'sort.moves': 'query' }, ['axes', 'bags', 'boots', 'Tents']],
    [{ 'sort.moves': ['-query', 'query'] }, ['Tents', 'boots', 'bags', 'axes']],
    [{ 'sort.moves': 'nothing' }, ['boots', 'Tents', 'bags', 'axes']],
    [{ 'sort.moves': '--effect; DROP' }, ['boots', 'Tents', 'bags', 'axes']],
    [{ 'sort.other': 'query' }, ['boots', 'Tents', 'bags', 'axes']],
    [{ 'find.moves': ' TENT ' }, ['Tents']],
    [{ 'find.moves': 'desktop', 'sort.moves': '-effect' }, ['Tents', 'boots', 'axes', 'bags']],
    [{ 'find.moves': 'nowhere' }, []],
  ])('%j', (query, expected) => {
    expect(names(orderRows({ columns, rows }, orderOf(query)))).toEqual(expected);
  });

  it('the newest week comes first, and rows of a week stay in the order of the statement', () => {
    expect(names(newestFirst({ columns, rows }, 'week'))).toEqual(['Tents', 'bags', 'boots', 'axes']);
    expect(newestFirst({ columns, rows }, 'query')).toBe(rows);
  });
});

it('a column with one value in every row is shown once, except columns that a chart is drawn from', () => {
  const panel = { x: 'week', y: [], series: undefined, changes: [], beside: undefined } as unknown as Panel;
  expect([...findSteady(panel, { columns, rows })]).toEqual(['device']);
  expect([...findSteady({ ...panel, series: 'device' }, { columns, rows })]).toEqual([]);
  expect([...findSteady(panel, { columns, rows: rows.slice(0, 1) })]).toEqual([]);
});

it('values have names that people know, and texts of people stay as they are', () => {
  expect(labelOf('assistant', 'google_ai_overview')).toBe('Google AI Overview');
  expect(labelOf('url_now', 'https://www.a.example/b')).toBe('a.example/b');
  expect(labelOf('assistants', 'chatgpt, perplexity')).toBe('ChatGPT, Perplexity');
  expect(labelOf('device', 'SMARTPHONE')).toBe('Smartphone');
  expect(['GOOGLE', 'SOMETHING_NEW'].map((engine) => labelOf('engine', engine))).toEqual(['Google', 'SOMETHING_NEW']);
  expect(labelOf('result_type', 'PEOPLE_ALSO_ASK')).toBe('People also ask');
  expect(labelOf('query', 'google')).toBe('google');
});
