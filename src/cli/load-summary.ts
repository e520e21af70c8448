// How loads ended: the text after run, backfill and demo.
import { groupBy } from '../core/group-by.ts';
import { count, sumOf } from '../core/numbers.ts';
import type { EmptyWeeks, WatchedSlice } from '../ledger/coverage.ts';
import { MAX_HELD_APART } from '../problems/find-problems.ts';
import { describeEmptyWeeks } from '../problems/notices.ts';
import { formatSpan } from '../problems/week-groups.ts';
import type { Terminal } from './terminal.ts';
import { isSettled } from './watch.ts';

/**
 * Prints how loads ended, and which of their weeks have no rows; `nothing` if there were no loads. Returns true when all were
 * published.
 */
export function summarizeLoads(
  terminal: Terminal,
  slices: readonly WatchedSlice[],
  emptyWeeks: readonly EmptyWeeks[] = [],
  nothing = 'Nothing was loaded.',
): boolean {
  const published = slices.filter((slice) => slice.state === 'published');
  const rows = sumOf(published, ({ rowsReceived, rowsQuarantined }) => rowsReceived - rowsQuarantined);
  terminal.print(slices.length === 0 ? nothing : `Published ${count(published.length, 'window')} with ${count(rows, 'row')}.`);
  for (const { job, windowStart, windowEnd, rowsReceived, rowsQuarantined } of published) {
    if (rowsQuarantined === 0) continue;
    terminal.print(
      `${job} ${windowStart}..${windowEnd} is published without ${count(rowsQuarantined, 'row')} of ${rowsReceived} that did not decode; see "searchmill quarantine list ${job}"`,
    );
  }
  // Loads of one job that are in one state for one reason: a backfill that is stopped or cancelled can have hundreds.
  const open = slices.filter(({ state }) => state !== 'published' && state !== 'held');
  for (const own of groupBy(open, (slice) => JSON.stringify([slice.job, slice.state, explain(slice)])).values())
    terminal.print(describeOpen(own));
  const held = slices.filter(({ state }) => state === 'held');
  for (const [job, ofJob] of groupBy(held, (slice) => slice.job)) {
    for (const slice of ofJob.slice(0, MAX_HELD_APART)) terminal.print(describeHeld(slice));
    if (ofJob.length > 1)
      terminal.print(`${count(ofJob.length, 'window')} of ${job} are held; "searchmill approve ${job}" publishes all of them`);
  }
  for (const { title, next } of emptyWeeks.map(describeEmptyWeeks))
    terminal.print([title, ...next.map((step) => `  > ${step}`)].join('\n'));
  return published.length === slices.length;
}

function describeOpen(own: readonly WatchedSlice[]): string {
  const [slice] = own;
  if (slice === undefined) return '';
  const windows = formatSpan(own);
  const subject = own.length === 1 ? `${slice.job} ${windows} is` : `${count(own.length, 'window')} of ${slice.job}, ${windows}, are`;
  if (slice.state === 'cancelled' && slice.detail !== null) return `${subject} ${slice.detail}`;
  return `${subject} ${isSettled(slice) ? '' : 'still '}${slice.state}: ${explain(slice)}`;
}

function describeHeld(slice: WatchedSlice): string {
  const decide = `decide with "searchmill approve ${slice.sliceId}" or "searchmill discard ${slice.sliceId}"`;
  return `${slice.job} ${formatSpan([slice])} is held: ${explain(slice)}; ${decide}`;
}

/** Why a load is not published. */
function explain({ objections, detail, waitingFor }: WatchedSlice): string {
  const objected = objections?.map((objection) => objection.message).join('; ');
  return objected ?? detail ?? (waitingFor ? `waits for ${waitingFor}` : 'no reason was recorded');
}
