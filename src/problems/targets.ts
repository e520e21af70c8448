// Problems of targets of notifications: those that accept nothing, that cannot be sent to, and recipients of e-mail that put messages off.
import { count } from '../core/numbers.ts';
import { ageOf, formatDuration } from '../core/relative-time.ts';
import { stepOfCredential, stepOfReload } from '../core/supervisor.ts';
import { type FailingTarget, isLackingText } from '../ledger/notifications.ts';
import type { FoundProblem } from './status.ts';

export function describeFailingTarget(
  { target, since, failures, error, waiting, isPartly }: FailingTarget,
  now: Date,
): FoundProblem<'notifications-failing'> {
  const waits = `${count(waiting, 'message')} ${waiting === 1 ? 'waits' : 'wait'}`;
  if (isPartly) {
    return {
      kind: 'notifications-failing',
      // The others of the target are told of it.
      apart: `${target}, recipients`,
      since,
      needsYou: true,
      title: `e-mail of ${target} has been put off by some of its recipients for ${formatDuration(ageOf(since, now))}; ${waits} for them`,
      why: [error],
      next: [
        `ask those who run their mail server; or take them out of ${target} in the jobs file, then ${stepOfReload()}`,
        'retried automatically at least every 15 minutes, and given up after 7 days',
      ],
    };
  }
  if (isLackingText(error)) {
    return {
      kind: 'notifications-failing',
      apart: target,
      since,
      needsYou: true,
      title: `notifications to ${target} are not sent, since a variable is missing; ${waits}`,
      why: [error],
      next: [`set it, then ${stepOfCredential()}; what waits is sent then`, 'searchmill check   names it until it is there'],
    };
  }
  return {
    kind: 'notifications-failing',
    apart: target,
    since,
    needsYou: true,
    title: `notifications to ${target} have failed for ${formatDuration(ageOf(since, now))}, ${count(failures, 'time')} in a row; ${waits}`,
    why: [error],
    next: ['searchmill notify --test   shows the answer of each target', 'retried automatically'],
  };
}
