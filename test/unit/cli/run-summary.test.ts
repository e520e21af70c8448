// What run and backfill print in the end.
import { expect, it } from 'vitest';
import { summarizeLoads } from '../../../src/cli/foreground.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';
import type { WatchedSlice } from '../../../src/warehouse/coverage.ts';

const slice = (own: Partial<WatchedSlice>): WatchedSlice => ({
  sliceId: 1,
  job: 'acme',
  dataset: 'keyword_rankings',
  windowStart: '2026-11-08',
  windowEnd: '2026-11-14',
  executionId: 1,
  state: 'published',
  pages: 1,
  rowsReceived: 257,
  rowsQuarantined: 0,
  totalRowCount: '257',
  detail: null,
  waitingFor: null,
  errorsInRow: 0,
  objections: null,
  pollCalls: 1,
  pageCalls: 0,
  ...own,
});

function summaryOf(...slices: WatchedSlice[]): { lines: string[]; isDone: boolean } {
  const lines: string[] = [];
  const terminal = { print: (line: string) => lines.push(line) } as unknown as Terminal;
  return { isDone: summarizeLoads(terminal, slices), lines };
}

it('tells rows that did not decode of weeks that are published, and what shows them', () => {
  expect(summaryOf(slice({}), slice({ rowsQuarantined: 1 }))).toEqual({
    isDone: true,
    lines: [
      'Published 2 windows with 513 rows.',
      'acme 2026-11-08..2026-11-14 is published without 1 row of 257 that did not decode; see "searchmill quarantine list acme"',
    ],
  });
});
