// Problems with the figures on boards: summaries that cannot be computed, and datasets whose spellings do not match.
import { groupBy } from '../core/group-by.ts';
import { nameSome } from '../core/name-some.ts';
import { count } from '../core/numbers.ts';
import { ago } from '../core/relative-time.ts';
import type { LeftRows } from '../publishing/forgetting.ts';
import type { FailingReports } from '../reports/failures.ts';
import type { UnmetSpelling } from '../reports/spellings.ts';
import type { FoundProblem } from './status.ts';

/** Most spellings that a title names. */
const MAX_SPELLINGS = 3;

export function describeFailingReports(
  { subject, accountId, weeks, firstWeek, lastWeek, failedAt, error }: FailingReports,
  now: Date,
): FoundProblem<'summaries-failing'> {
  const span = firstWeek === lastWeek ? firstWeek : `${firstWeek} to ${lastWeek}`;
  return {
    kind: 'summaries-failing',
    apart: `${subject} ${accountId}`,
    since: failedAt,
    needsYou: true,
    title: `dashboards leave out ${subject.replace('_', '-')} of account ${accountId}, ${count(weeks, 'week')} (${span}): summaries failed ${ago(failedAt, now)}`,
    why: [error],
    next: ['retried automatically, at least every hour; "searchmill reports rebuild" retries at once'],
  };
}

export function describeLeftRows(
  { job, beside, rows, first, last, removedAt, latest, isSure }: LeftRows,
  now: Date,
): FoundProblem<'rows-left'> {
  const span = first === last ? first : `${first} to ${last}`;
  const stopped = removedAt === null ? 'is disabled' : `was taken out of the jobs file ${ago(removedAt, now)}`;
  const others = nameSome(beside, MAX_SPELLINGS);
  return {
    kind: 'rows-left',
    job,
    since: removedAt,
    latest,
    needsYou: isSure,
    title: `${job}: ${stopped}, but ${count(rows, 'row')} of it stay, also in weeks of ${others}, ${span}`,
    why: [
      isSure
        ? 'figures add the rows of both up: too much if one job replaced the other, as after a rename with other filters'
        : 'figures add the rows of both up; whether they have rows in common is not known, since some were loaded with other filters than now',
    ],
    next: [
      `searchmill forget ${job}   removes its ${count(rows, 'row')}`,
      `searchmill acknowledge rows-left ${job}   if they belong beside those of ${others}`,
    ],
  };
}

/** One problem for each account, dataset and kind, however many spellings differ. */
export function describeSpellings(unmet: readonly UnmetSpelling[]): FoundProblem<'spellings-apart'>[] {
  const groups = groupBy(unmet, ({ accountId, dataset, kind }) => `${accountId} ${dataset} ${kind}`);
  return [...groups].flatMap(([apart, own]) => {
    const [first] = own;
    if (!first) return [];
    const weeks = Math.max(...own.map((each) => each.weeks));
    const both = own.map(({ spelling, answersSpelling }) => `${spelling} and ${answersSpelling}`);
    return [
      {
        kind: 'spellings-apart',
        apart,
        needsYou: true,
        title: `account ${first.accountId}: ${first.dataset} and ai_search_response do not match by ${first.kind} in ${count(weeks, 'week')}: ${nameSome(both, MAX_SPELLINGS)}`,
        why: ['boards show gaps where they join them'],
        latest: new Date(Math.max(...own.map(({ apartSince }) => apartSince.getTime()))),
        next: [
          ...own.map(({ line }) => `${line}   in jobs.config.yaml, if both mean the same; otherwise let both jobs ask for the same`),
          'searchmill acknowledge spellings-apart   if they are to differ; others are told again',
        ],
      },
    ];
  });
}
