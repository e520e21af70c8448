// Jobs as the rest of Searchmill sees them: defaults filled in, units in names, the question digested.
import type { z } from 'zod';
import { bareDomain } from '../core/bare-domain.ts';
import { compareText } from '../core/compare-text.ts';
import { shortDigest } from '../core/digest.ts';
import { startOfWeek } from '../core/weeks.ts';
import { datasetNamed } from '../datasets/index.ts';
import { DEFAULT_COLLECTION_FREQUENCY, type Question } from '../datasets/submit-body.ts';
import { brandsOf } from './brands.ts';
import type { EntryJob } from './entry-jobs.ts';
import { parseDurationMs } from './fields.ts';
import { completeJobSchema, type WrittenFile } from './schema.ts';
import type { Connection, FilterValues, Job } from './settings.ts';

/**
 * Resolves the jobs of an entry of a file without mistakes: its own fields, else those of `defaults`, else
 * Searchmill's; the schedule key by key. `entryJobs` says which jobs they are.
 */
export function resolveEntry(
  written: WrittenFile['jobs'][number],
  defaults: WrittenFile['defaults'],
  connections: ReadonlyMap<string, Connection>,
  entryJobs: readonly EntryJob[],
): Job[] {
  const [onlyConnection] = connections.keys();
  const { account_ids: _list, ...job } = completeJobSchema.parse({
    connection: onlyConnection,
    ...defaults,
    ...written,
    account_id: entryJobs[0]?.accountId,
    schedule: { ...defaults?.schedule, ...written.schedule },
  });
  return entryJobs.map(({ name, accountId }) => resolveJob({ ...job, name, account_id: accountId }, connections));
}

function resolveJob(job: z.output<typeof completeJobSchema>, connections: ReadonlyMap<string, Connection>): Job {
  const dataset = datasetNamed(job.dataset);
  const filters = { collection_frequency: DEFAULT_COLLECTION_FREQUENCY, ...job.filters } as FilterValues;
  const weekStartsOn = typeof job.week_starts_on === 'string' ? job.week_starts_on : job.week_starts_on.day;
  const question = { dataset, accountId: job.account_id, filters };
  const maxRejected = typeof job.max_rejected === 'number' ? { share: job.max_rejected, rows: 0 } : job.max_rejected;
  return {
    ...question,
    name: job.name,
    isEnabled: job.enabled,
    connection: job.connection,
    filtersDigest: digestQuestion(question, connections.get(job.connection)?.baseUrl ?? ''),
    schedule: job.schedule,
    since: startOfWeek(job.since, weekStartsOn),
    lookbackWeeks: job.lookback_weeks,
    keepWeeks: job.keep_weeks,
    weeksPerQuery: job.weeks_per_query,
    weekStartsOn,
    pageSize: job.page_size,
    maxRejectedShare: maxRejected.share,
    maxRejectedRows: maxRejected.rows,
    minKeepShare: job.min_keep,
    allowEmpty: job.allow_empty,
    maxWaitMs: parseDurationMs(job.max_wait),
    maxSubmits: job.max_submits,
    ownDomains: domainsOf(job.own_domains, job.account_id),
    competitors: domainsOf(job.competitors, job.account_id),
    ownBrands: brandsOf(job.own_brands, job.account_id),
    rivalBrands: brandsOf(job.rival_brands, job.account_id),
  };
}

/** The domains of one account, in their one spelling. */
function domainsOf(written: z.output<typeof completeJobSchema>['own_domains'], accountId: number): string[] {
  const ofAccount = Array.isArray(written) ? written : (written[accountId] ?? []);
  return ofAccount.map((domain) => bareDomain(domain));
}

/**
 * The first 32 hexadecimal digits of SHA-256 over dataset, base URL, account and filters. The order of filters and of
 * list items, and repeated items, do not matter: they do not change the question.
 */
export function digestQuestion({ dataset, accountId, filters }: Question, baseUrl: string): string {
  const canonical = Object.keys(filters)
    .toSorted(compareText)
    .map((name) => [name, canonicalValue(filters[name])]);
  return shortDigest([dataset.name, baseUrl, accountId, canonical]);
}

/** The value of a filter; for a list each item once, in order. */
export function canonicalValue(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value.map((item) => JSON.stringify(item)))].toSorted(compareText) : value;
}
