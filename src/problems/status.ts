// What a status is made of: everything that was read off the ledger, and the problems that are found in it.
import { splitAdvice } from '../core/advice.ts';
import type { Window } from '../core/weeks.ts';
import type { FailingReports } from '../reports/failures.ts';
import type { UnmetSpelling } from '../reports/spellings.ts';
import type { EmptyWeeks, KnownConnection, KnownDrift, KnownJob, LiveExecution, UnknownSubmits, WeekGroup } from '../warehouse/coverage.ts';
import type { KnownInstance } from '../warehouse/instances.ts';
import type { FailingTarget } from '../warehouse/notifications.ts';
import type { QuarantineSummary } from '../warehouse/quarantine.ts';
import type { UnlikeWeeks } from '../warehouse/verification-rounds.ts';
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
  failingReports: readonly FailingReports[];
  unmetSpellings: readonly UnmetSpelling[];
  failingTargets: readonly FailingTarget[];
}>;

/** `error` needs a person; Searchmill gets over a `warning` by itself; a `note` is worth knowing although nothing is wrong. */
export type Severity = 'error' | 'warning' | 'note';

/** A problem as its finder returns it. */
export type FoundProblem<Kind extends ProblemKind = ProblemKind> = Readonly<{
  kind: Kind;
  /** What it is about: a job or a connection; neither where it is about everything. */
  job?: string;
  connection?: string;
  /** Days, both included. */
  window?: Window;
  /** Tells it from others of the same kind, job and window. Stays the same while the problem lasts. */
  apart?: string;
  /** When it began; undefined where nobody can tell. */
  since?: Date | null | undefined;
  /** False when Searchmill gets over it by itself. */
  needsYou: boolean;
  /** What, and since when. */
  title: string;
  /** Advice in it comes before `next`. */
  why?: readonly string[];
  /** What to do, or what happens next. A command stands first, and what it does behind three spaces. */
  next: readonly string[];
}>;

/** What finds the problems of one kind in a status. `maxHeldApart`: held windows of one job that are told one by one. */
export type Finder<Kind extends ProblemKind> = (status: Status, now: Date, maxHeldApart: number) => FoundProblem<Kind>[];
/** A finder for each of some kinds. */
export type Finders<Kinds extends ProblemKind> = Readonly<{ [Kind in Kinds]: Finder<Kind> }>;

export type Problem = Readonly<{
  /** Stays the same while it lasts, also when its words change. */
  key: string;
  kind: ProblemKind;
  severity: Severity;
  job: string | null;
  connection: string | null;
  window: Window | null;
  since: Date | null;
  /** Those of `next` that are commands. */
  commands: readonly string[];
}> &
  Required<Pick<FoundProblem, 'needsYou' | 'title' | 'why' | 'next'>>;

/** A problem as it is told everywhere. */
export function tellProblem(found: FoundProblem, severity: Severity = found.needsYou ? 'error' : 'warning'): Problem {
  const { kind, job = null, connection = null, window = null, since = null, needsYou, title } = found;
  const reasons = (found.why ?? []).map(splitAdvice);
  const why = reasons.map(({ said }) => said);
  const next = [...reasons.flatMap(({ advice }) => advice ?? []), ...found.next];
  const key = [kind, job ?? connection ?? '', window?.start ?? '', found.apart ?? ''].join(':').replace(/:+$/, '');
  const commands = next.flatMap((step) => (step.startsWith('searchmill ') ? (step.split('   ')[0] ?? []) : []));
  return { key, kind, severity, job, connection, window, since, needsYou, title, why, next, commands };
}
