// How much room a panel takes on its board.
import { expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { findWide, isWide } from '../../../src/dashboards/panel-section.tsx';

it('a table takes the whole width where its rows have many characters', () => {
  const panel = readBoards()
    .flatMap(({ panels }) => panels)
    .find(({ board, name }) => board === 'signals' && name === 'silent');
  if (!panel) throw new Error('no panel');
  const columns = ['week', 'what', 'why'].map((name) => ({ name, kind: 'text' as const }));
  const isWideWith = (what: string, why: string | null): boolean =>
    isWide({ panel, result: { columns, rows: [['2026-08-23', what, why]], isCut: false } });
  expect(isWideWith('A rival rises', 'held (brightpeak-rankings)')).toBe(false);
  expect(isWideWith('A rival rises', null)).toBe(false);
  expect(isWideWith('An assistant names us more or less often', 'the week before it is not loaded')).toBe(true);
  // Its sentence is continued on the next line.
  expect(isWideWith('', 'a sentence of many words '.repeat(9))).toBe(false);
});

it('the last of an odd number of panels in two columns takes the whole width, but no tile does', () => {
  const ofHome = readBoards().find(({ name }) => name === 'home')?.panels ?? [];
  const tile = ofHome.find(({ chart }) => chart === 'tiles');
  const line = readBoards()
    .flatMap(({ panels }) => panels)
    .find(({ chart }) => chart === 'line');
  const heatmap = readBoards()
    .flatMap(({ panels }) => panels)
    .find(({ chart }) => chart === 'heatmap');
  if (!tile || !line || !heatmap) throw new Error('no panel');
  const result = { columns: [], rows: [], isCut: false };
  const named = (...panels: readonly (readonly [string, typeof line])[]): string[] =>
    [...findWide(panels.map(([name, panel]) => ({ panel: { ...panel, name }, result })))].toSorted();
  expect(named(['one', line], ['two', line])).toEqual([]);
  expect(named(['one', line], ['wide', heatmap], ['two', line], ['three', line])).toEqual(['three', 'wide']);
  expect(named(['tile', tile], ['one', line])).toEqual(['one']);
});
