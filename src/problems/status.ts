// The types of a status, which is everything read from the ledger, and of the problems found in it.
import { splitAdvice } from '../core/advice.ts';
import type { Window } from '../core/weeks.ts';
import type { Acknowledgement } from '../ledger/acknowledgements.ts';
import type { EmptyWeeks, KnownConnection, KnownDrift, KnownJob, LiveExecution, UnknownSubmits, WeekGroup } from '../ledger/coverage.ts';
import type { KnownInstance } from '../ledger/instances.ts';
import type { FailingTarget } from '../ledger/notifications.ts';
import type { LeftRows } from '../publishing/forgetting.ts';
import type { QuarantineSummary } from '../publishing/quarantine.ts';
import type { FailingReports } from '../reports/failures.ts';
import type { UnmetSpelling } from '../reports/spellings.ts';
import type { UnlikeWeeks } from '../tables/verification-rounds.ts';
import type { ProblemKind } from './kinds.ts';

export type Status = Readonly<{
  jobs: readonly KnownJob[];
  coverage: readonly WeekGroup[];
  live: readonly LiveExecution[];
  connections: readonly KnownConnection[];
  instances: readonly KnownInstance[];
  drift: readonly KnownDrift[];
  quarantine: readonly QuarantineSummary[];
  emptyWeeks: readonly EmptyWeeks[];
  unknownSubmits: readonly UnknownSubmits[];
  unlikeWeeks: readonly UnlikeWeeks[];
  leftRows: readonly LeftRows[];
  failingReports: readonly FailingReports[];
  unmetSpellings: readonly UnmetSpelling[];
  failingTargets: readonly FailingTarget[];
  acknowledgements: readonly Acknowledgement[];
}>;

/** `error` needs a person; `warning` resolves by itself; `note` is worth knowing although nothing is wrong. */
export type Severity = 'error' | 'warning' | 'note';

/** A problem as its finder returns it. */
export type FoundProblem<Kind extends ProblemKind = ProblemKind> = Readonly<{
  kind: Kind;
  /** The job or connection it is about; neither when it is about the whole installation. */
  job?: string;
  connection?: string;
  /** First and last day, both inclusive. */
  window?: Window;
  /** Distinguishes problems of the same kind, job and window. Stays the same while the problem lasts. */
  apart?: string;
  /** When it began; undefined when unknown. */
  since?: Date | null | undefined;
  /** When the newest of what it tells happened, if not when it began. */
  latest?: Date | null | undefined;
  /** False when it resolves by itself. */
  needsYou: boolean;
  /** What is wrong, and since when. */
  title: string;
  /** Reasons. Advice contained in them is moved to the front of `next`. */
  why?: readonly string[];
  /** What to do, or what happens next. A step with a command starts with it; three spaces separate it from its explanation. */
  next: readonly string[];
}>;

/** Finds the problems of one kind in a status. `maxHeldApart`: held windows of one job that are listed one by one. */
export type Finder<Kind extends ProblemKind> = (status: Status, now: Date, maxHeldApart: number) => FoundProblem<Kind>[];
/** One finder per kind. */
export type Finders<Kinds extends ProblemKind> = Readonly<{ [Kind in Kinds]: Finder<Kind> }>;

export type Problem = Readonly<{
  /** Stays the same while the problem lasts, even when its wording changes. */
  key: string;
  kind: ProblemKind;
  severity: Severity;
  job: string | null;
  connection: string | null;
  window: Window | null;
  since: Date | null;
  /** The searchmill commands in `next`, without their explanations. */
  commands: readonly string[];
}> &
  Required<Pick<FoundProblem, 'needsYou' | 'title' | 'why' | 'next'>>;

/** The complete form of a found problem, as status, pages and notifications show it. */
export function tellProblem(found: FoundProblem, severity: Severity = found.needsYou ? 'error' : 'warning'): Problem {
  const { kind, job = null, connection = null, window = null, since = null, needsYou, title } = found;
  const reasons = (found.why ?? []).map(splitAdvice);
  const why = reasons.map(({ said }) => said);
  const next = [...reasons.flatMap(({ advice }) => advice ?? []), ...found.next];
  const key = [kind, job ?? connection ?? '', window?.start ?? '', found.apart ?? ''].join(':').replace(/:+$/, '');
  const commands = next.flatMap((step) => (step.startsWith('searchmill ') ? (step.split('   ')[0] ?? []) : []));
  return { key, kind, severity, job, connection, window, since, needsYou, title, why, next, commands };
}
