// Compares the present problems with those a target knows: which begin, last and end. Pure.
import type { NotifyTarget } from '../config/notify.ts';
import { groupBy } from '../core/group-by.ts';
import type { NotifiedProblem } from '../ledger/notifications.ts';
import type { ProblemKind } from '../problems/kinds.ts';
import type { Problem } from '../problems/status.ts';

export type TellingRules = Pick<NotifyTarget, 'severity' | 'afterMs' | 'remindMs' | 'gatherMs'>;

export type EndedProblem = NotifiedProblem & Readonly<{ goneAt: Date }>;

export type Comparison = Readonly<{
  /** The problems to store for the target: those it was told about, and those it will be told about if they last. */
  known: readonly NotifiedProblem[];
  begun: readonly Problem[];
  lasting: readonly Problem[];
  ended: readonly EndedProblem[];
}>;

/** Kinds that do not resolve by themselves: they are reported without waiting for `afterMs`. */
const TOLD_AT_ONCE: ReadonlySet<ProblemKind> = new Set(['held', 'failed', 'reload-failed', 'credential-refused']);

/** `stored` is what the target knew. If `present` has a key more than once, the first one counts. */
export function compareProblems(
  stored: readonly NotifiedProblem[],
  present: readonly Problem[],
  { severity, afterMs, remindMs, gatherMs }: TellingRules,
  now: Date,
): Comparison {
  const isOver = (at: Date, ms: number): boolean => now.getTime() - at.getTime() >= ms;
  const problems = [...new Map(present.toReversed().map((problem) => [problem.key, problem])).values()].toReversed();
  const keys = new Set(problems.map(({ key }) => key));
  const byKey = new Map(stored.map((problem) => [problem.key, problem]));
  const vanished = stored.filter(({ key }) => !keys.has(key));
  const continued = new Set<NotifiedProblem>();

  const isRecent = (at: Date | null): boolean => at !== null && !isOver(at, gatherMs);
  const recentKinds = new Set(stored.filter(({ toldAt }) => isRecent(toldAt)).map(({ kind }) => kind));

  const known: NotifiedProblem[] = [];
  const begun: Problem[] = [];
  const told: { problem: Problem; at: number }[] = [];
  for (const problem of problems) {
    const before = byKey.get(problem.key) ?? vanished.find((other) => !continued.has(other) && isContinued(other, problem));
    if (before) continued.add(before);
    const toldBefore = before?.toldAt ?? null;
    // A problem that was reported is still tracked when it becomes less severe.
    if (toldBefore === null && !isSevere(problem, severity)) continue;
    const seenAt = before?.seenAt ?? now;
    const isDue = !recentKinds.has(problem.kind) && (TOLD_AT_ONCE.has(problem.kind) || isOver(seenAt, afterMs));
    const isBeginning = toldBefore === null && isDue;
    if (isBeginning) begun.push(problem);
    const toldAt = isBeginning ? now : toldBefore;
    const remindedAt = before?.remindedAt ?? null;
    known.push({ ...recordOf(problem, before), seenAt, toldAt, remindedAt, goneAt: null });
    if (toldBefore !== null) told.push({ problem, at: (remindedAt ?? toldBefore).getTime() });
  }

  // Reminders cover all problems of a kind together.
  const due = [...groupBy(told, ({ problem }) => problem.kind).values()].filter((own) =>
    own.some(({ at }) => isOver(new Date(at), remindMs)),
  );
  const lasting = due.flat().map(({ problem }) => problem);
  const reminded = new Set(lasting.map(({ key }) => key));

  const ended: EndedProblem[] = [];
  const gone = vanished.flatMap((before) =>
    continued.has(before) || before.toldAt === null ? [] : [{ ...before, goneAt: before.goneAt ?? now }],
  );
  for (const [kind, own] of groupBy(gone, (problem) => problem.kind)) {
    // Wait a little if other problems of the kind are still there: they may end soon and share the message.
    const isLast = !told.some(({ problem }) => problem.kind === kind) && own.every(({ goneAt }) => isOver(goneAt, afterMs));
    const isDue = isLast || own.some(({ goneAt }) => isOver(goneAt, afterMs + gatherMs));
    for (const problem of own) (isDue && isOver(problem.goneAt, afterMs) ? ended : known).push(problem);
  }
  return { known: known.map((one) => (reminded.has(one.key) ? { ...one, remindedAt: now } : one)), begun, lasting, ended };
}

function isSevere(problem: Problem, least: TellingRules['severity']): boolean {
  return problem.severity === 'error' || (least === 'warning' && problem.severity === 'warning');
}

/** Whether it is the same problem under another key: its first week was repaired, or an earlier week joined it. */
function isContinued(before: NotifiedProblem, { kind, job, window }: Problem): boolean {
  if (before.kind !== kind || job === null || before.job !== job) return false;
  if (window === null || before.windowStart === null || before.windowEnd === null) return false;
  return before.windowStart <= window.end && window.start <= before.windowEnd;
}

/** The stored form of a problem. `title` and `since` stay as they were when it was first seen. */
function recordOf({ key, kind, severity, job, connection, window, title, since }: Problem, before: NotifiedProblem | undefined) {
  const span = { windowStart: window?.start ?? null, windowEnd: window?.end ?? null };
  return { key, kind, severity, job, connection, ...span, title: before?.title ?? title, since: before ? before.since : since };
}
