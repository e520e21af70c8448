import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { plain } from '../../../src/cli/paint.ts';
import { drawProgress, type ProgressBlock, showProgress } from '../../../src/cli/progress.ts';
import { addDays } from '../../../src/core/weeks.ts';
import type { WatchedSlice } from '../../../src/ledger/coverage.ts';
import { Screen } from '../../support/screen.ts';

let slices = 0;
const slice = (job: string, own: Partial<WatchedSlice> = {}): WatchedSlice => ({
  sliceId: ++slices,
  job,
  dataset: 'keyword_rankings',
  windowStart: '2026-11-08',
  windowEnd: addDays(own.windowStart ?? '2026-11-08', 6),
  executionId: slices,
  state: 'planned',
  pages: 0,
  rowsReceived: 0,
  rowsQuarantined: 0,
  totalRowCount: null,
  detail: null,
  waitingFor: null,
  errorsInRow: 0,
  objections: null,
  pollCalls: 0,
  pageCalls: 0,
  ...own,
});

const blockOf = (own: Partial<ProgressBlock>): ProgressBlock => ({
  jobs: ['acme-rankings', 'acme-brands'],
  slices: [],
  elapsedMs: 12_345,
  width: 80,
  height: 24,
  paint: plain,
  ...own,
});

describe('a blockOf of progress', () => {
  it('has a line per job with its weeks, its rows and what it does now, and the totals', () => {
    const lines = drawProgress(
      blockOf({
        slices: [
          slice('acme-rankings', { state: 'published', rowsReceived: 2_000, pollCalls: 1, pageCalls: 1 }),
          slice('acme-rankings', { state: 'loading', windowStart: '2026-11-01', rowsReceived: 1_000, totalRowCount: '2000', pollCalls: 2 }),
          slice('acme-brands', { waitingFor: 'a free submit on connection main' }),
        ],
      }),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] acme-rankings {2}━{14} {2}1\/2 weeks {2}3,000 rows {2}reading 2026-11-01$/),
      expect.stringMatching(/^· acme-brands {4}━{14} {2}0\/1 weeks {6}0 rows {2}waits for a free submi…$/),
      '  1 of 3 weeks, 3,000 rows, 6 calls, 12 s',
    ]);
  });

  it('fills the bar by weeks, and by the rows of the week that is being read', () => {
    const filledOf = (own: Partial<WatchedSlice>): number =>
      drawProgress(blockOf({ jobs: ['a'], slices: [slice('a', own)], paint: (colour, text) => (colour === 'dim' ? '' : text) }))[0]?.match(
        /━/g,
      )?.length ?? 0;
    expect(filledOf({ state: 'in_progress' })).toBe(0);
    expect(filledOf({ state: 'loading', rowsReceived: 500, totalRowCount: '1000' })).toBe(6);
    expect(filledOf({ state: 'loading', rowsReceived: 1000, totalRowCount: '1000' })).toBeLessThan(14);
    expect(filledOf({ state: 'published' })).toBe(14);
  });

  it('counts the weeks of windows that span several', () => {
    const [line] = drawProgress(
      blockOf({ jobs: ['a'], slices: [slice('a', { state: 'published', windowStart: '2026-10-18', windowEnd: '2026-11-14' })] }),
    );
    expect(line).toContain('4/4 weeks');
  });

  it('shows what failed, and what is held, while the rest goes on', () => {
    const lines = drawProgress(
      blockOf({
        slices: [
          slice('acme-rankings', { state: 'failed', detail: 'the service refused the submit: no such account' }),
          slice('acme-rankings', { state: 'loading', windowStart: '2026-11-01' }),
          slice('acme-brands', { state: 'held', objections: [{ rule: 'shrink', message: '3 rows are far fewer than 900' }] }),
        ],
      }),
    );
    expect(lines[0]).toMatch(/^✗ acme-rankings .* {2}2026-11-08 failed: the ser…$/);
    expect(lines[1]).toMatch(/^✗ acme-brands .* {2}2026-11-08 held: 3 rows ar…$/);
  });

  it('says so when a step fails and is tried again', () => {
    const [line] = drawProgress(
      blockOf({ width: 120, jobs: ['a'], slices: [slice('a', { state: 'in_progress', errorsInRow: 2, detail: 'connect ECONNREFUSED' })] }),
    );
    expect(line).toContain('trying again: connect ECONNREFUSED');
  });

  it('marks a job as done only when all of it is published', () => {
    const lines = drawProgress(
      blockOf({ jobs: ['a', 'b'], slices: [slice('a', { state: 'published' }), slice('b', { state: 'staged' })] }),
    );
    expect(lines[0]).toMatch(/^✓ a .* published$/);
    expect(lines[1]).toMatch(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] b .* publishing 2026-11-08$/);
  });

  it.each([20, 40, 60, 71, 72, 80, 100, 200])('is always narrower than a terminal of %i columns, whatever the names', (width) => {
    const jobs = ['a', 'a-job-with-a-really-long-name-that-somebody-thought-was-a-good-idea'];
    const own = jobs.map((job) => slice(job, { state: 'loading', rowsReceived: 123_456_789, detail: 'x'.repeat(300), errorsInRow: 1 }));
    for (const line of drawProgress(blockOf({ jobs, slices: own, width }))) expect(line.length).toBeLessThan(Math.max(width, 50));
  });

  it('is never as high as the terminal: jobs that are done are left out first', () => {
    const jobs = Array.from({ length: 40 }, (_, index) => `job-${index}`);
    const own = jobs.map((job, index) => slice(job, { state: index === 37 ? 'failed' : index === 38 ? 'loading' : 'published' }));
    const lines = drawProgress(blockOf({ jobs, slices: own, height: 10 }));
    expect(lines.length).toBeLessThan(10);
    expect(lines.join('\n')).toMatch(/✗ job-37.*job-38.*and 33 jobs more/s);
    expect(lines.at(-1)).toContain('38 of 40 weeks');
  });
});

describe('the progress display', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  const open = (isInteractive: boolean) => {
    const screen = new Screen(80);
    const written: string[] = [];
    const terminal = {
      env: {},
      isInteractive,
      width: 80,
      height: 24,
      write(text: string) {
        written.push(text);
        screen.write(text);
      },
      print: () => undefined,
      warn: () => undefined,
      stopping: new AbortController().signal,
    };
    return { screen, written, progress: showProgress(terminal, ['a', 'b']) };
  };

  it('moves by itself between two looks, and ends with all jobs done', () => {
    const { screen, progress } = open(true);
    progress.update([slice('a', { state: 'loading' }), slice('b')]);
    const first = screen.text;
    vi.advanceTimersByTime(1_000);
    expect(screen.text).not.toBe(first);
    expect(screen.text).toContain(', 1 s');
    progress.update([slice('a', { state: 'published' }), slice('b', { state: 'published' })]);
    progress.finish();
    expect(screen.text).toMatch(/^✓ a .*published\n✓ b .*published\n {2}2 of 2 weeks/);
    expect(screen.isCursorHidden).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(screen.text).toContain(', 1 s');
  });

  it('writes nothing without a terminal', () => {
    const { written, progress } = open(false);
    progress.update([slice('a', { state: 'published' })]);
    progress.finish();
    expect(written).toEqual([]);
  });
});
