// Jobs and weeks named on the command line.
import { nearestName } from '../config/nearest.ts';
import type { Job, JobsConfig } from '../config/settings.ts';
import { ConfigurationError } from '../core/errors.ts';
import { nameSome } from '../core/name-some.ts';
import { type IsoDate, startOfWeek, weeksFromTo } from '../core/weeks.ts';
import type { KnownJob } from '../ledger/coverage.ts';

/** Names of jobs that one message lists. */
const MAX_LISTED = 20;

/** The named jobs, or all of them. Throws ConfigurationError for a name that is not configured. */
export function chooseJobs(config: JobsConfig, names: readonly string[]): readonly Job[] {
  if (names.length === 0) return config.jobs;
  return [...new Set(names)].map((name) => {
    const job = config.jobs.find((candidate) => candidate.name === name);
    if (!job) throw unknownJob(config.path, name, config.jobs);
    return job;
  });
}

/** Throws ConfigurationError when the ledger has never seen the job. */
export function requireKnownJob(jobs: readonly KnownJob[], name: string): void {
  if (!jobs.some((job) => job.name === name)) throw unknownJob('the ledger', name, jobs);
}

function unknownJob(where: string, name: string, jobs: readonly Readonly<{ name: string }>[]): ConfigurationError {
  const known = jobs.map((job) => job.name);
  const nearest = nearestName(name, known);
  const hint = nearest ? `did you mean "${nearest}"?` : known.length > 0 ? `it has ${nameSome(known, MAX_LISTED)}` : 'it has none yet';
  return new ConfigurationError(`${where} has no job "${name}"; ${hint}`);
}

export type Span = Readonly<{ week?: IsoDate | undefined; from?: IsoDate | undefined; to?: IsoDate | undefined }>;

/** Throws ConfigurationError if one of the dates is missing, or they are reversed. */
export function requireSpan({ from, to }: Pick<Span, 'from' | 'to'>): void {
  if ((from === undefined) !== (to === undefined)) throw new ConfigurationError('--from and --to must be used together');
  if (from !== undefined && to !== undefined && to < from) throw new ConfigurationError(`--to ${to} is before --from ${from}`);
}

/**
 * First days of the job's weeks in a span: the week that contains `week`, or those from the one that contains `from` to
 * the one that contains `to`. Undefined if the span is empty. Throws ConfigurationError for an incomplete or reversed span.
 */
export function chooseWeeks(job: Job, { week, from, to }: Span): readonly IsoDate[] | undefined {
  if (week !== undefined && (from !== undefined || to !== undefined))
    throw new ConfigurationError('--week and --from/--to exclude each other');
  if (week !== undefined) return [startOfWeek(week, job.weekStartsOn)];
  requireSpan({ from, to });
  if (from === undefined || to === undefined) return undefined;
  return weeksFromTo(startOfWeek(from, job.weekStartsOn), startOfWeek(to, job.weekStartsOn));
}
