// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people write them
// Jobs for measurements, as a file for workers and as the resolved settings.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadJobsConfig } from '../../src/config/jobs-config.ts';
import type { JobsConfig } from '../../src/config/settings.ts';
import { HARD_LIMITS } from '../../src/core/limits.ts';
import { addDays, type IsoDate, windowOfWeeks } from '../../src/core/weeks.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { planJob } from '../../src/pipeline/plan.ts';
import { pipelineOn } from '../../test/support/drive.ts';
import type { Slice } from '../service/rows.ts';
import type { Bench } from './bench.ts';
import type { Database } from './database.ts';

/** A Sunday that is in the past. */
export const FIRST_WEEK: IsoDate = '2025-01-05';
export const ACCOUNT = 12345;
/** Accounts for figures with several jobs. */
export const ACCOUNTS = [ACCOUNT, 12346, 12347, 12348];

export type JobsOptions = Readonly<{
  baseUrl: string;
  dataset?: string;
  /** One job per account. */
  accounts?: readonly number[];
  pageSize?: number;
  /** Prefix of the jobs' names. */
  prefix?: string;
  since?: IsoDate;
  limits?: Readonly<{ submit: number; read: number }>;
  /** For a scheduler that does nothing by itself: its jobs are disabled, and no signals are looked for. */
  isIdle?: boolean;
  ownDomains?: readonly string[];
  /** Address of two notification targets. */
  webhook?: string;
}>;

export type Jobs = Readonly<{
  path: string;
  config: JobsConfig;
  /** Variables that the file uses. */
  variables: Readonly<Record<string, string>>;
  /** The Authorization header of its calls. */
  credential: string;
}>;

/** Writes a jobs file with its own credential, so that its calls have their own budget. */
export function writeJobs(bench: Bench, options: JobsOptions): Jobs {
  const {
    baseUrl,
    dataset = 'keyword_rankings',
    accounts = [ACCOUNT],
    pageSize = 1000,
    prefix = 'bench',
    since = FIRST_WEEK,
    limits = HARD_LIMITS,
    isIdle = false,
    ownDomains = [],
    webhook,
  } = options;
  const token = `bench-${randomBytes(8).toString('hex')}`;
  const path = join(bench.directory, `${token}.yaml`);
  const variables = { BENCH_WEBHOOK: webhook ?? '', BENCH_WEBHOOK_KEY: `whsec_${randomBytes(32).toString('base64')}` };
  const target = { webhook: '${BENCH_WEBHOOK}', secret: '${BENCH_WEBHOOK_KEY}', severity: 'warning', digest: true };
  // JSON is valid YAML.
  const file = {
    ...(webhook && { notify: { targets: { operators: target, analysts: target } } }),
    connections: {
      main: { base_url: baseUrl, auth: { token }, limits: { submits_per_minute: limits.submit, reads_per_minute: limits.read } },
    },
    signals: { enabled: !isIdle },
    defaults: { dataset, since, page_size: pageSize, max_submits: 100, enabled: !isIdle },
    jobs: accounts.map((account, index) => ({ name: `${prefix}-${index}`, account_id: account, own_domains: ownDomains })),
  };
  writeFileSync(path, JSON.stringify(file));
  return { path, config: loadJobsConfig(path, variables).config, variables, credential: `Bearer ${token}` };
}

/** First days of `count` weeks, beginning with `first`. */
export function weeksFrom(first: IsoDate, count: number): IsoDate[] {
  return Array.from({ length: count }, (_, index) => addDays(first, index * 7));
}

/** The slices that jobs of these accounts request for these weeks. */
export function slicesOf(accounts: readonly number[], weeks: readonly IsoDate[]): Slice[] {
  return accounts.flatMap((accountId) => weeks.map((week) => ({ accountId, week: windowOfWeeks(week, 1) })));
}

/** A pipeline that plans but does no other work: workers find the plans in the ledger. */
export function planningPipeline({ pool }: Database): Pipeline {
  return pipelineOn(pool, undefined, { owner: 'bench', leaseMs: 0, random: Math.random });
}

/** Plans a load of each week for every job, even if the week is published. Returns the executions. */
export async function planWeeks(database: Database, jobs: Jobs, weeks: readonly IsoDate[]): Promise<number[]> {
  const planned: number[] = [];
  for (const job of jobs.config.jobs) {
    const loads = weeks.map((week) => ({ window: windowOfWeeks(week, 1), reason: 'backfill' as const }));
    const planning = { configured: jobs.config.jobs, expectedThrough: undefined, choose: () => loads };
    planned.push(...(await planJob(planningPipeline(database), job, planning)).planned);
  }
  return planned;
}
