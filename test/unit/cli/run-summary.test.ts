// What run and backfill print in the end.
import { expect, it } from 'vitest';
import { summarizeLoads } from '../../../src/cli/load-summary.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';
import type { WatchedSlice } from '../../../src/ledger/coverage.ts';

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

it('reports loads of a job that ended alike as one: a backfill can have hundreds', () => {
  const open = (own: Partial<WatchedSlice>): WatchedSlice => slice({ state: 'planned', waitingFor: 'a free submit', ...own });
  const objections = [{ rule: 'shrink', message: '78 rows would replace 264' }];
  expect(
    summaryOf(
      slice({}),
      open({}),
      open({ windowStart: '2026-10-25', windowEnd: '2026-10-31' }),
      open({ job: 'other' }),
      open({ state: 'cancelled', detail: 'cancelled by hand' }),
      open({ state: 'cancelled', detail: 'cancelled by hand', windowStart: '2026-11-01', windowEnd: '2026-11-07' }),
      ...[1, 2, 3, 4, 5].map((sliceId) => slice({ state: 'held', sliceId, objections })),
    ),
  ).toEqual({
    isDone: false,
    lines: [
      'Published 1 window with 257 rows.',
      '2 windows of acme, 2026-10-25..2026-11-14, are still planned: waits for a free submit',
      'other 2026-11-08..2026-11-14 is still planned: waits for a free submit',
      '2 windows of acme, 2026-11-01..2026-11-14, are cancelled by hand',
      ...[1, 2, 3].map(
        (sliceId) =>
          `acme 2026-11-08..2026-11-14 is held: 78 rows would replace 264; decide with "searchmill approve ${sliceId}" or "searchmill discard ${sliceId}"`,
      ),
      '5 windows of acme are held; "searchmill approve acme" publishes all of them',
    ],
  });
});

it('reports rows of published weeks that did not decode, and the command that shows them', () => {
  expect(summaryOf(slice({}), slice({ rowsQuarantined: 1 }))).toEqual({
    isDone: true,
    lines: [
      'Published 2 windows with 513 rows.',
      'acme 2026-11-08..2026-11-14 is published without 1 row of 257 that did not decode; see "searchmill quarantine list acme"',
    ],
  });
});
