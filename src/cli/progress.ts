// Live progress, one line per job: on a terminal a display that is drawn over in place; elsewhere nothing, since the log
// has a line per state change.
import { stripVTControlCharacters } from 'node:util';
import { groupBy } from '../core/group-by.ts';
import { cutText, escapeControls } from '../core/invisible.ts';
import { count, sumOf } from '../core/numbers.ts';
import { weeksOfWindow, windowOf } from '../core/weeks.ts';
import type { WatchedSlice } from '../ledger/coverage.ts';
import { LiveLines } from './live-lines.ts';
import { type Paint, paintFor } from './paint.ts';
import type { Terminal } from './terminal.ts';
import { isSettled } from './watch.ts';

export interface Progress {
  /** Shows the current state. */
  update(slices: readonly WatchedSlice[]): void;
  /** What the work currently waits for; undefined when that is over. Shown beside the display if there is one, else as a warning. */
  note(waitingFor: string | undefined): void;
  /** Draws the last state and leaves it on the screen. */
  finish(): void;
}

export const ANSWERS_AGAIN = 'the database answers again';

const FRAME_EVERY_MS = 100;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const BAR_WIDTH = 14;
/** Narrower terminals get no bars. */
const LEAST_WIDTH_FOR_BARS = 72;

/** Shows the progress of jobs, in their order. */
export function showProgress(terminal: Terminal, jobs: readonly string[]): Progress {
  if (!terminal.isInteractive || jobs.length === 0)
    return { update: () => undefined, note: (text) => terminal.warn(text ?? ANSWERS_AGAIN), finish: () => undefined };
  const lines = new LiveLines(terminal);
  const paint = paintFor(terminal);
  const started = performance.now();
  let slices: readonly WatchedSlice[] = [];
  let note: string | undefined;
  const draw = (): void => {
    const elapsedMs = performance.now() - started;
    const { width, height } = terminal;
    const block = drawProgress({ jobs, slices, elapsedMs, width, height: height - (note === undefined ? 0 : 1), paint });
    lines.draw(note === undefined ? block : [...block, paint('red', cutText(`  ${note}`, width - 1))]);
  };
  const timer = setInterval(draw, FRAME_EVERY_MS);
  timer.unref();
  return {
    update(now) {
      slices = now;
      draw();
    },
    note(text) {
      note = text;
      draw();
    },
    finish() {
      clearInterval(timer);
      draw();
      lines.finish();
    },
  };
}

export type ProgressBlock = Readonly<{
  jobs: readonly string[];
  slices: readonly WatchedSlice[];
  elapsedMs: number;
  width: number;
  height: number;
  paint: Paint;
}>;

/** One block: a line per job and a line of totals, within the terminal. Jobs that do not fit are counted, finished ones first. */
export function drawProgress(block: ProgressBlock): string[] {
  const { jobs, slices, height, paint } = block;
  const byJob = groupBy(slices, ({ job }) => job);
  const states = jobs.map((job) => stateOf(job, byJob.get(job) ?? []));
  // The totals, the cursor's line, and the line that counts the jobs left out.
  const room = Math.max(1, height - 3);
  const shown = states.length <= room + 1 ? states : mostInteresting(states, room);
  const left = states.length - shown.length;
  return [
    ...shown.map((state) => drawJob(state, states, block)),
    ...(left > 0 ? [paint('dim', `  and ${count(left, 'job')} more`)] : []),
    paint('dim', drawTotals(states, block)),
  ];
}

type JobState = Readonly<{
  job: string;
  weeks: number;
  done: number;
  /** Share of the rows that are loaded, 0 to 1: finished weeks, and parts of those being read. */
  share: number;
  rows: number;
  calls: number;
  kind: 'waiting' | 'working' | 'published' | 'unpublished';
  activity: string;
}>;

function stateOf(job: string, slices: readonly WatchedSlice[]): JobState {
  const weeksIn = (some: readonly WatchedSlice[]): number => sumOf(some, (slice) => weeksOfWindow(windowOf(slice)).length);
  const published = slices.filter((slice) => slice.state === 'published');
  const unpublished = slices.filter((slice) => isSettled(slice) && slice.state !== 'published');
  const isOver = slices.length > 0 && slices.every(isSettled);
  const isWaiting = slices.every((slice) => slice.state === 'planned');
  return {
    job,
    weeks: weeksIn(slices),
    done: weeksIn(published),
    share: sumOf(slices, shareRead) / Math.max(1, slices.length),
    rows: sumOf(slices, (slice) => slice.rowsReceived),
    calls: sumOf(slices, (slice) => slice.pollCalls + slice.pageCalls + (slice.state === 'planned' ? 0 : 1)),
    kind: unpublished.length > 0 ? 'unpublished' : isOver ? 'published' : isWaiting ? 'waiting' : 'working',
    activity: describeActivity(slices, unpublished),
  };
}

function shareRead({ state, rowsReceived, totalRowCount }: WatchedSlice): number {
  if (state === 'published') return 1;
  if (state === 'staged' || state === 'held') return 0.95;
  return state === 'loading' && Number(totalRowCount) > 0 ? (0.95 * rowsReceived) / Number(totalRowCount) : 0;
}

/** The display's text for a job: what went wrong, else what its busiest load does. */
function describeActivity(slices: readonly WatchedSlice[], unpublished: readonly WatchedSlice[]): string {
  if (unpublished[0]) {
    const { windowStart, state, detail, objections } = unpublished[0];
    return `${windowStart} ${state}: ${objections?.[0]?.message ?? detail ?? 'see "searchmill status"'}`;
  }
  const failing = slices.find((slice) => slice.errorsInRow > 0);
  if (failing?.detail) return `trying again: ${failing.detail}`;
  const busiest = (['loading', 'staged', 'in_progress', 'submitting', 'planned'] as const)
    .map((state) => slices.find((slice) => slice.state === state))
    .find((slice) => slice !== undefined);
  switch (busiest?.state) {
    case 'loading':
      return `reading ${busiest.windowStart}`;
    case 'staged':
      return `publishing ${busiest.windowStart}`;
    case 'in_progress':
      return 'the query is running';
    case 'submitting':
    case 'planned':
      return `waits for ${busiest.waitingFor ?? 'its turn'}`;
    default:
      return slices.length === 0 ? 'waits for its turn' : 'published';
  }
}

const INTEREST = { unpublished: 0, working: 1, waiting: 2, published: 3 } as const;

function mostInteresting(states: readonly JobState[], most: number): JobState[] {
  const chosen = new Set(states.toSorted((a, b) => INTEREST[a.kind] - INTEREST[b.kind]).slice(0, most));
  return states.filter((state) => chosen.has(state));
}

function drawJob(state: JobState, all: readonly JobState[], { elapsedMs, width, paint }: ProgressBlock): string {
  const widest = (text: (one: JobState) => string): number => Math.max(...all.map((one) => text(one).length));
  const weeksOf = (one: JobState): string => `${one.done}/${one.weeks} weeks`;
  const rowsOf = (one: JobState): string => count(one.rows, 'row');
  const colour = ({ unpublished: 'red', published: 'green', working: 'cyan', waiting: 'dim' } as const)[state.kind];
  const mark = { unpublished: '✗', published: '✓', working: spinnerAt(elapsedMs), waiting: '·' }[state.kind];
  const filled = Math.min(BAR_WIDTH, Math.floor(BAR_WIDTH * state.share + 1e-9));
  const bar = paint(colour, '━'.repeat(filled)) + paint('dim', '━'.repeat(BAR_WIDTH - filled));
  const longestName = widest(({ job }) => job);
  const nameWidth = Math.min(longestName, Math.floor(width / 3));
  const parts = [
    cutText(state.job, nameWidth).padEnd(nameWidth),
    ...(width < LEAST_WIDTH_FOR_BARS ? [] : [bar]),
    weeksOf(state).padStart(widest(weeksOf)),
    rowsOf(state).padStart(widest(rowsOf)),
  ];
  const line = `${paint(colour, mark)} ${parts.join('  ')}`;
  const room = width - 3 - stripVTControlCharacters(line).length;
  if (room < 8) return line;
  return `${line}  ${paint(state.kind === 'unpublished' ? 'red' : 'dim', cutText(escapeControls(state.activity), room))}`;
}

function spinnerAt(elapsedMs: number): string {
  return SPINNER[Math.floor(elapsedMs / FRAME_EVERY_MS) % SPINNER.length] ?? '';
}

function drawTotals(states: readonly JobState[], { elapsedMs, width }: ProgressBlock): string {
  const sum = (of: 'done' | 'weeks' | 'rows' | 'calls'): number => sumOf(states, (one) => one[of]);
  const weeks = `${sum('done')} of ${count(sum('weeks'), 'week')}`;
  return cutText(`  ${weeks}, ${count(sum('rows'), 'row')}, ${count(sum('calls'), 'call')}, ${Math.floor(elapsedMs / 1000)} s`, width - 1);
}
