// Messages about problems, in the form that webhooks receive. One message covers all problems of a kind. docs/operations.md describes
// the fields.

import { groupBy } from '../core/group-by.ts';
import { cutText, onOneLine } from '../core/invisible.ts';
import { asTyped } from '../core/own-command.ts';
import { formatDuration } from '../core/relative-time.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { NotifiedProblem } from '../ledger/notifications.ts';
import { jobAddress, OPERATIONS, weekAddress } from '../operations/parts.tsx';
import { PROBLEM_KINDS, type ProblemKind } from '../problems/kinds.ts';
import type { Problem } from '../problems/status.ts';
import type { Comparison, EndedProblem } from './compare.ts';

const MAX_SHOWN = 10;
const MAX_LINES = 5;
const MAX_TEXT = 400;

/** One problem in a message. Times are ISO 8601. */
export type ToldProblem = Pick<NotifiedProblem, 'key' | 'kind' | 'severity' | 'job' | 'connection' | 'title'> &
  Pick<Problem, 'why' | 'next' | 'commands'> &
  Readonly<{
    /** `week`: first day of the window; `until`: its last day. */
    week: IsoDate | null;
    until: IsoDate | null;
    since: string | null;
    page: string | null;
    /** When it ended; `lasted` is how long it lasted, in words. Only in problem.ended. */
    ended?: string;
    lasted?: string;
  }>;

export type ProblemMessage = Readonly<{
  type: 'problem.began' | 'problem.lasts' | 'problem.ended';
  timestamp: string;
  data: Readonly<{
    kind: string;
    meaning: string;
    severity: string;
    jobs: readonly string[];
    count: number;
    problems: readonly ToldProblem[];
    /** Number of problems that are not in `problems`. */
    more: number;
    commands: readonly string[];
    page: string | null;
  }>;
}>;

/** One message for each type and kind: first problems that ended, then new ones, then reminders. */
export function problemMessages({ begun, lasting, ended }: Comparison, pages: string | undefined, now: Date): ProblemMessage[] {
  const told = (problems: readonly Problem[]) => problems.map((problem) => tell(problem, pages));
  return [
    ...messagesOf(
      'problem.ended',
      ended.map((problem) => tellEnded(problem, pages)),
      pages,
      now,
    ),
    ...messagesOf('problem.began', told(begun), pages, now),
    ...messagesOf('problem.lasts', told(lasting), pages, now),
  ];
}

function messagesOf(
  type: ProblemMessage['type'],
  problems: readonly ToldProblem[],
  pages: string | undefined,
  now: Date,
): ProblemMessage[] {
  return [...groupBy(problems, ({ kind }) => kind)].map(([kind, own]) => {
    const shown = own.slice(0, MAX_SHOWN);
    const more = own.length - shown.length;
    const commands = [...new Set(shown.flatMap((problem) => problem.commands)), ...(more > 0 ? [asTyped('searchmill status')] : [])];
    const jobs = [...new Set(own.flatMap(({ job }) => job ?? []))].slice(0, MAX_SHOWN);
    const severity = own.some((problem) => problem.severity === 'error') ? 'error' : 'warning';
    const meaning = PROBLEM_KINDS[kind as ProblemKind] ?? '';
    const page = pages === undefined ? null : pages + OPERATIONS;
    const data = { kind, meaning, severity, jobs, count: own.length, problems: shown, more, commands, page };
    return { type, timestamp: now.toISOString(), data };
  });
}

function tell(problem: Problem, pages: string | undefined): ToldProblem {
  const { key, kind, severity, job, connection, window, since, title, why, next, commands } = problem;
  const about = { key: shorten(key), kind, severity, job, connection, week: window?.start ?? null, until: window?.end ?? null };
  return {
    ...about,
    since: since?.toISOString() ?? null,
    title: shorten(title),
    why: why.slice(0, MAX_LINES).map(shorten),
    next: next.slice(0, MAX_LINES).map((step) =>
      step
        .slice(0, 4 * MAX_TEXT)
        .split('   ', 2)
        .map(shorten)
        .join('   '),
    ),
    commands: commands.slice(0, MAX_LINES).map(shorten),
    page: pageOf(about, pages),
  };
}

function tellEnded(problem: EndedProblem, pages: string | undefined): ToldProblem {
  const { key, kind, severity, job, connection, windowStart, windowEnd, goneAt } = problem;
  const began = problem.since ?? problem.seenAt;
  const about = { key: shorten(key), kind, severity, job, connection, week: windowStart, until: windowEnd };
  const lasted = formatDuration(goneAt.getTime() - began.getTime());
  return {
    ...about,
    since: began.toISOString(),
    title: `recovered after ${lasted}: ${nameOf(problem)}`,
    why: [],
    next: [],
    commands: [],
    page: pageOf(about, pages),
    ended: goneAt.toISOString(),
    lasted,
  };
}

/** `held, acme-rankings 2026-11-08..2026-11-14`; the title if it is about neither a job nor a connection. */
function nameOf({ kind, job, connection, windowStart, windowEnd, title }: NotifiedProblem): string {
  const about = job ?? connection ?? '';
  if (about === '') return shorten(title);
  return `${kind}, ${about}${windowStart === null ? '' : ` ${windowStart}..${windowEnd}`}`;
}

function pageOf({ job, week }: Pick<ToldProblem, 'job' | 'week'>, pages: string | undefined): string | null {
  if (pages === undefined) return null;
  return pages + (job === null ? OPERATIONS : week === null ? jobAddress(job) : weekAddress(job, week));
}

function shorten(text: string): string {
  return cutText(onOneLine(asTyped(text.slice(0, 4 * MAX_TEXT))), MAX_TEXT);
}
