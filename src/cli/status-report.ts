// The status as text, in 80 columns: the verdict, a line per job, running loads, and at the end, next to
// the prompt, the problems and what to do.

import { count, formatNumber } from '../core/numbers.ts';
import { ago, formatDuration, until } from '../core/relative-time.ts';
import { formatWindow, windowOf } from '../core/weeks.ts';
import type { Action } from '../ledger/actions.ts';
import type { CoverageState, CoveredWeek, KnownJob, LiveExecution } from '../ledger/coverage.ts';
import { nextTick } from '../pipeline/expected-weeks.ts';
import { findProblems } from '../problems/find-problems.ts';
import { findNotices, isStale, pausedSince } from '../problems/notices.ts';
import type { Problem, Status } from '../problems/status.ts';
import { findVerdict } from '../problems/verdict.ts';
import { countWeeks, mergeGroups } from '../problems/week-groups.ts';
import type { Paint } from './paint.ts';
import { type Cell, formatTable } from './table.ts';
import { wrapText } from './wrap.ts';

/** Lines of a section; the rest is counted, and --json has everything. */
const MAX_LISTED = 10;
/** Weeks shown of a single job. */
const MAX_WEEKS = 16;
/** A submit in flight is waited for, and staged loads are published. */
const STOPPED_BY_PAUSE: ReadonlySet<string> = new Set(['planned', 'in_progress', 'loading']);

const VERDICT_COLOURS = {
  'needs-you': 'red',
  passing: 'yellow',
  paused: 'yellow',
  'nothing-yet': undefined,
  'nobody-runs': undefined,
  well: 'green',
} as const;

export type ReportStyle = Readonly<{
  now: Date;
  width: number;
  paint: Paint;
  /** Weeks to list, oldest first: those of the requested job. */
  weeks: readonly CoveredWeek[];
  /** People's actions on that job, newest first. */
  actions: readonly Action[];
}>;

export function describeStatus(status: Status, style: ReportStyle): string {
  const configured = status.jobs.filter((job) => job.removedAt === null);
  const problems = findProblems(status, style.now);
  const needing = problems.filter(({ needsYou }) => needsYou);
  const passing = problems.filter(({ needsYou }) => !needsYou);
  const blocks = [
    describeVerdict(status, problems, style),
    configured.length > 0 ? describeJobs(configured, status, style.now) : '',
    describeWeeks(status.jobs, style),
    describeUnderWay(status.live, style),
    describeRemoved(status, style),
    describeItems('Needs you', style.paint('red', '!'), needing, style),
    describeItems('These pass by themselves', style.paint('yellow', '!'), passing, style),
    describeItems('Worth knowing', '-', findNotices(status, style.now), style),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function describeVerdict(status: Status, problems: readonly Problem[], { paint }: ReportStyle): string {
  const { kind, text, published, expected, underWay } = findVerdict(status, problems);
  const colour = VERDICT_COLOURS[kind];
  const alive = status.instances.filter((instance) => instance.isAlive);
  const roles = (['all', 'scheduler', 'worker'] as const).flatMap((role) => {
    const amount = alive.filter((instance) => instance.role === role).length;
    return amount === 0 ? [] : [`${amount} ${role === 'all' ? 'for everything' : role + (amount === 1 ? '' : 's')}`];
  });
  return [
    colour === undefined ? text : paint(colour, text),
    `${published} of ${count(expected, 'expected week')} published, ${count(underWay, 'load')} under way.`,
    `Processes running: ${roles.join(', ') || 'none'}.`,
  ].join('\n');
}

function describeJobs(jobs: readonly KnownJob[], { coverage, connections }: Status, now: Date): string {
  // Most jobs share a schedule.
  const ticks = new Map<string, Date | undefined>();
  const nextTickOf = (job: KnownJob): Date | undefined => {
    const key = `${job.timezone} ${job.cron}`;
    if (!ticks.has(key)) ticks.set(key, nextTick({ schedule: job }, now));
    return ticks.get(key);
  };
  const rows = jobs.map((job): Cell[] => {
    const own = coverage.filter((group) => group.job === job.name);
    const expected = own.filter((group) => group.isExpected);
    const expectedIn = (state: CoverageState): number => countWeeks(expected.filter((group) => group.state === state));
    const others = (['running', 'held', 'failed', 'missing'] as const satisfies readonly CoverageState[]).flatMap((state) => {
      const amount = expectedIn(state);
      return amount === 0 ? [] : [`${amount} ${state}`];
    });
    const published = mergeGroups(own.filter((group) => group.isPublished));
    return [
      job.name,
      `${expectedIn('published')}/${countWeeks(expected)}`,
      others.join(', ') || null,
      published?.last ?? null,
      ago(published?.publishedAt, now),
      !job.isEnabled ? 'disabled' : pausedSince(job, connections) ? 'paused' : until(nextTickOf(job), now),
    ];
  });
  return formatTable(['job', 'weeks', 'other', 'newest week', 'published', 'next run'], rows);
}

function describeWeeks(jobs: readonly KnownJob[], { weeks, actions, now }: ReportStyle): string {
  const newestFirst = weeks.toReversed();
  const rows = newestFirst.slice(0, MAX_WEEKS).map((week): Cell[] => {
    const job = jobs.find(({ name }) => name === week.job);
    const notes = [
      ...(week.isExpected ? [] : ['not expected']),
      ...(week.state === 'held' ? [`slice ${week.sliceId}`] : []),
      ...(week.state === 'missing' && week.executionState === 'cancelled' && week.detail !== null ? [week.detail] : []),
      ...(isStale(job, week.publishedFiltersDigest) ? ['other filters'] : []),
      ...describeDecision(week, actions),
    ];
    return [week.week, week.state, week.weekRows ?? week.sliceRows, ago(week.publishedAt, now), notes.join(', ') || null];
  });
  const more = newestFirst.length - rows.length;
  if (rows.length === 0) return '';
  return `${formatTable(['week', 'state', 'rows', 'published', 'note'], rows)}${more > 0 ? `\nand ${count(more, 'week')} more; --json shows all` : ''}`;
}

/** Who decided about the week's last load, or about an earlier one where the last is held. */
function describeDecision({ state, sliceId, executionId }: CoveredWeek, actions: readonly Action[]): string[] {
  const decided = actions.find(
    (each) =>
      (each.action === 'approve' || each.action === 'discard') &&
      each.executionId !== null &&
      (each.executionId === executionId || (state === 'held' && each.sliceId === sliceId)),
  );
  if (!decided) return [];
  const { action, actor, reason } = decided;
  return [`${action === 'approve' ? 'approved' : 'discarded'} by ${actor}${reason === null ? '' : `: ${reason}`}`];
}

function describeUnderWay(live: readonly LiveExecution[], { now, paint }: ReportStyle): string {
  const busy = live.filter((execution) => execution.state !== 'held');
  const rows = busy.map((execution): Cell[] => {
    const window = formatWindow(windowOf(execution));
    return [`  ${execution.job}`, window, describeStep(execution, now)];
  });
  const more = busy.length > MAX_LISTED ? `\n  and ${busy.length - MAX_LISTED} more` : '';
  return listRows(paint('bold', 'Under way'), rows) + more;
}

function describeStep(execution: LiveExecution, now: Date): string {
  if (execution.isPaused && STOPPED_BY_PAUSE.has(execution.state)) return 'is paused';
  const since = formatDuration(now.getTime() - execution.stateSince.getTime());
  switch (execution.state) {
    case 'planned':
      return execution.waitingFor ? `waits for ${execution.waitingFor}` : 'waits for its submit';
    case 'submitting':
      return 'is being submitted';
    case 'in_progress':
      return `the service works on it, for ${since}`;
    case 'loading': {
      const total = execution.totalRowCount === null ? '' : ` of ${formatNumber(Number(execution.totalRowCount))}`;
      return `${formatNumber(execution.rowsReceived)}${total} rows read in ${since}`;
    }
    case 'staged':
      return 'is being published';
    case 'held':
      return 'is held';
  }
}

/** Removed jobs that have published something; the weeks of a renamed job belong to its new name. */
function describeRemoved({ jobs, coverage }: Status, { now, paint }: ReportStyle): string {
  const rows = jobs
    .filter((job) => job.removedAt !== null && coverage.some((group) => group.job === job.name && group.isPublished))
    .map((job): Cell[] => [`  ${job.name}`, job.dataset, `since ${ago(job.removedAt, now)}`]);
  return listRows(paint('bold', 'No longer configured; their published rows stay'), rows);
}

/** The first rows below a heading, without names of columns; nothing for no rows. */
function listRows(heading: string, rows: readonly Cell[][]): string {
  return rows.length === 0 ? '' : `${heading}\n${formatTable([], rows.slice(0, MAX_LISTED))}`;
}

type Item = Readonly<{ title: string; why?: readonly string[]; next: readonly string[] }>;

function describeItems(heading: string, mark: string, items: readonly Item[], { width, paint }: ReportStyle): string {
  if (items.length === 0) return '';
  const lines = items.slice(0, MAX_LISTED).flatMap(({ title, why = [], next }) => {
    const [first = '', ...rest] = wrapText(title, width - 4);
    return [
      `  ${mark} ${first}`,
      ...rest.map((line) => `    ${line}`),
      ...why.flatMap((text) => wrapText(text, width, '      ')),
      ...next.map((step) => `    > ${step}`),
    ];
  });
  const more = items.length - MAX_LISTED;
  return [paint('bold', heading), ...lines, ...(more > 0 ? [`  and ${more} more; --json shows all`] : [])].join('\n');
}
