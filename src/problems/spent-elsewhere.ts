// A credential that others spend: the service answered 429 while our own log of calls had room. Pure.
import { count } from '../core/numbers.ts';
import { ageOf, ago } from '../core/relative-time.ts';
import { SPENT_ELSEWHERE_MS } from '../ledger/call-log.ts';
import type { KnownConnection } from '../ledger/coverage.ts';
import type { FoundProblem } from './status.ts';

/** As many within an hour of each other are no accident: they go on until somebody divides the limit. */
const MANY = 3;

export function describeSpentElsewhere(connection: KnownConnection, now: Date): FoundProblem<'spent-elsewhere'>[] {
  const { name, elsewhereSince, elsewhereAt, elsewhereTimes, elsewhereKind, elsewhereUsed, elsewhereOf } = connection;
  if (!elsewhereAt || ageOf(elsewhereAt, now) >= SPENT_ELSEWHERE_MS) return [];
  const times = elsewhereTimes ?? 1;
  const calls = elsewhereKind === 'submit' ? 'submits' : 'polls and pages';
  return [
    {
      kind: 'spent-elsewhere',
      connection: name,
      since: elsewhereSince,
      latest: elsewhereAt,
      needsYou: times >= MANY,
      title: `connection ${name}: someone else spends this credential: ${count(times, 'answer')} 429 while we had room, the last ${ago(elsewhereAt, now)}`,
      why: [`we had made ${elsewhereUsed} of ${elsewhereOf} ${calls} a minute, and the service counted more than its limit`],
      next: [
        'let all deployments with this credential use one database, which divides the limit by itself',
        'or give each its share: submits_per_minute and reads_per_minute under limits of the connection, in sum at most what the service allows',
        'or give each a credential of its own',
      ],
    },
  ];
}
