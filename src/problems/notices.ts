// What is worth knowing although nothing is wrong: paused or disabled jobs, weeks loaded under other filters or without rows,
// columns that were added or removed, quarantined rows. Pure: takes a status, returns notices.

import { groupBy } from '../core/group-by.ts';
import { nameSome } from '../core/name-some.ts';
import { count, sumOf } from '../core/numbers.ts';
import { ageOf, ago, earliest, formatDuration } from '../core/relative-time.ts';
import { addDays } from '../core/weeks.ts';
import type { EmptyWeeks, KnownConnection, KnownJob } from '../ledger/coverage.ts';
import { nameFilters } from '../pipeline/shrinkage.ts';
import { isAcknowledged } from './acknowledged.ts';
import type { ProblemKind } from './kinds.ts';
import { pastUnknownSubmits } from './standstills.ts';
import { type Finders, type FoundProblem, type Problem, type Status, tellProblem } from './status.ts';
import { formatWeeks, mergeGroups } from './week-groups.ts';

/** A finder for each kind that is a notice. */
export const NOTICE_FINDERS = {
  paused: describePauses,
  disabled: describeDisabled,
  'other-filters': describeStaleWeeks,
  'empty-weeks': ({ emptyWeeks }) => emptyWeeks.map(describeEmptyWeeks),
  quarantine: describeQuarantine,
  drift: describeDrift,
} as const satisfies Partial<Finders<ProblemKind>>;

/** Most columns that a notice names. */
const MAX_COLUMNS = 4;

/** All notices, with the severity `note`. */
export function findNotices(status: Status, now: Date): Problem[] {
  const notices = Object.values<(status: Status, now: Date) => FoundProblem[]>(NOTICE_FINDERS).flatMap((find) => find(status, now));
  const told = [...notices, ...pastUnknownSubmits(status, now)].filter((notice) => !isAcknowledged(notice, status));
  return told.map((notice) => tellProblem(notice, 'note'));
}

/** Since when the job, or else its connection, has been paused by hand; undefined when neither is paused. */
export function pausedSince(job: KnownJob, connections: readonly KnownConnection[]): Date | undefined {
  return job.pausedSince ?? connections.find(({ name }) => name === job.connection)?.pausedSince ?? undefined;
}

function describePauses({ jobs, connections }: Status, now: Date): FoundProblem<'paused'>[] {
  const paused = [
    ...connections.map((connection) => ({ kind: 'connection' as const, ...connection })),
    ...jobs.map((job) => ({ kind: 'job' as const, ...job })),
  ];
  return paused.flatMap(({ kind, name, pausedSince: since, pauseReason }) => {
    if (since === null) return [];
    const forTime = formatDuration(ageOf(since, now));
    const title = `${kind} ${name} has been paused by hand for ${forTime}${pauseReason === null ? '' : `: ${pauseReason}`}`;
    const next = [`searchmill resume ${name} --${kind}   continues where it stopped`];
    return [{ kind: 'paused', [kind]: name, since, needsYou: false, title, next }];
  });
}

function describeDisabled({ jobs }: Status): FoundProblem<'disabled'>[] {
  return jobs
    .filter((job) => !job.isEnabled && job.removedAt === null)
    .map(({ name }) => ({
      kind: 'disabled',
      job: name,
      needsYou: false,
      title: `${name} is disabled (enabled: false): nothing new is planned`,
      next: [],
    }));
}

/** Whether rows were published under filters other than the job's current ones. False for a removed job. */
export function isStale(job: KnownJob | undefined, publishedDigest: string | null): boolean {
  return job?.removedAt === null && publishedDigest !== null && publishedDigest !== job.filtersDigest;
}

/** Weeks published without rows: usually a filter is misspelt. */
export function describeEmptyWeeks({ job, accountId, filters, weeks, first, last }: EmptyWeeks): FoundProblem<'empty-weeks'> {
  const named = nameFilters(filters);
  const doubt = named === '' ? `does account ${accountId} have any data?` : `do the filters exist? They are ${named}`;
  return {
    kind: 'empty-weeks',
    job,
    window: { start: first, end: addDays(last, 6) },
    needsYou: false,
    title: `${job}: ${count(weeks, 'week')} published with 0 rows, ${formatWeeks({ first, last })}: ${doubt}`,
    next: [
      `searchmill backfill ${job} --from ${first} --to ${last} --reload   loads again`,
      'or, if there is nothing to load, "allow_empty: true" in the job',
    ],
  };
}

function describeStaleWeeks({ jobs, coverage }: Status): FoundProblem<'other-filters'>[] {
  return jobs.flatMap((job) => {
    const stale = mergeGroups(coverage.filter((group) => group.job === job.name && isStale(job, group.filtersDigest)));
    if (!stale) return [];
    const { weeks, first, last } = stale;
    const title = `${job.name}: ${count(weeks, 'published week')} ${weeks === 1 ? 'was' : 'were'} loaded under other filters, ${formatWeeks(stale)}`;
    const again = `searchmill backfill ${job.name} --from ${first} --to ${last} --stale   loads them again`;
    const next = [
      again,
      'add --approve if fewer rows are wanted',
      `searchmill acknowledge other-filters ${job.name}   if they are to stay as they are`,
    ];
    return [{ kind: 'other-filters', job: job.name, latest: stale.publishedAt, needsYou: false, title, next }];
  });
}

function describeQuarantine({ jobs, quarantine }: Status): FoundProblem<'quarantine'>[] {
  return jobs.flatMap(({ name }) => {
    const published = quarantine.filter((load) => load.job === name && load.state === 'published');
    if (published.length === 0) return [];
    const rows = sumOf(published, (load) => load.rows);
    const what = `${count(rows, 'row')} of ${count(published.length, 'published load')}`;
    const title = `${name}: ${what} did not decode and ${rows === 1 ? 'is' : 'are'} in quarantine`;
    const latest = new Date(Math.max(...published.map((load) => load.latest.getTime())));
    const next = [`searchmill quarantine list ${name}`, `searchmill acknowledge quarantine ${name}   if they are to stay there`];
    return [{ kind: 'quarantine', job: name, latest, needsYou: false, title, next }];
  });
}

/** One note for each dataset, however many columns differ. */
function describeDrift({ drift }: Status, now: Date): FoundProblem<'drift'>[] {
  return [...groupBy(drift, ({ dataset }) => dataset)].map(([dataset, own]) => {
    const since = earliest(own.map((each) => each.since));
    const loads = Math.max(...own.map((each) => each.loads));
    const jobs = [...new Set(own.flatMap((each) => each.jobs))].join(', ');
    const [first] = own;
    const columns = nameSome([...new Set(own.map(({ column }) => column))], MAX_COLUMNS);
    const what = first && own.length === 1 ? first.detail : `${own.length} columns differ from the expected ones: ${columns}`;
    return {
      kind: 'drift',
      apart: dataset,
      since,
      needsYou: false,
      title: `${dataset}: ${what}; first seen ${ago(since, now)}, in ${count(loads, 'load')} of ${jobs}`,
      latest: new Date(Math.max(...own.map((each) => each.since.getTime()))),
      next: ['searchmill acknowledge drift   if that is known; more columns are told again'],
    };
  });
}
