// How much room a panel takes on its board.
import { expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { isWide } from '../../../src/dashboards/panel-section.tsx';

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
