// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people write them
// Jobs to measure with, as a file that workers read and as the settings it resolves to.
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

/** A Sunday in the past, on any day this is run. */
export const FIRST_WEEK: IsoDate = '2025-01-05';
export const ACCOUNT = 12345;
/** For figures with several jobs. */
export const ACCOUNTS = [ACCOUNT, 12346, 12347, 12348];

export type JobsOptions = Readonly<{
  baseUrl: string;
  dataset?: string;
  /** One job for each. */
  accounts?: readonly number[];
  pageSize?: number;
  /** Of the names of the jobs. */
  prefix?: string;
  since?: IsoDate;
  limits?: Readonly<{ submit: number; read: number }>;
  /** Two targets of notifications at this address. */
  webhook?: string;
}>;

export type Jobs = Readonly<{
  path: string;
  config: JobsConfig;
  /** What the file refers to. */
  variables: Readonly<Record<string, string>>;
  /** The Authorization header of its calls. */
  credential: string;
}>;

/** Writes a jobs file with a credential of its own, so that its calls have a budget of their own. */
export function writeJobs(bench: Bench, options: JobsOptions): Jobs {
  const {
    baseUrl,
    dataset = 'keyword_rankings',
    accounts = [ACCOUNT],
    pageSize = 1000,
    prefix = 'bench',
    since = FIRST_WEEK,
    limits = HARD_LIMITS,
    webhook,
  } = options;
  const token = `bench-${randomBytes(8).toString('hex')}`;
  const path = join(bench.directory, `${token}.yaml`);
  const variables = { BENCH_WEBHOOK: webhook ?? '', BENCH_WEBHOOK_KEY: `whsec_${randomBytes(32).toString('base64')}` };
  const target = { webhook: '${BENCH_WEBHOOK}', secret: '${BENCH_WEBHOOK_KEY}', severity: 'warning', digest: true };
  // JSON is YAML.
  const file = {
    ...(webhook && { notify: { targets: { operators: target, analysts: target } } }),
    connections: {
      main: { base_url: baseUrl, auth: { token }, limits: { submits_per_minute: limits.submit, reads_per_minute: limits.read } },
    },
    defaults: { dataset, since, page_size: pageSize, max_submits: 100 },
    jobs: accounts.map((account, index) => ({ name: `${prefix}-${index}`, account_id: account })),
  };
  writeFileSync(path, JSON.stringify(file));
  return { path, config: loadJobsConfig(path, variables).config, variables, credential: `Bearer ${token}` };
}

/** First days of `count` weeks from `first` on. */
export function weeksFrom(first: IsoDate, count: number): IsoDate[] {
  return Array.from({ length: count }, (_, index) => addDays(first, index * 7));
}

/** What jobs of these accounts ask for in these weeks. */
export function slicesOf(accounts: readonly number[], weeks: readonly IsoDate[]): Slice[] {
  return accounts.flatMap((accountId) => weeks.map((week) => ({ accountId, week: windowOfWeeks(week, 1) })));
}

/** A pipeline that can plan but does no work: workers find what is planned in the ledger. */
export function planningPipeline({ pool }: Database): Pipeline {
  return pipelineOn(pool, undefined, { owner: 'bench', leaseMs: 0, random: Math.random });
}

/** Plans a load of each week for every job, also of weeks that are published. Returns the executions. */
export async function planWeeks(database: Database, jobs: Jobs, weeks: readonly IsoDate[]): Promise<number[]> {
  const planned: number[] = [];
  for (const job of jobs.config.jobs) {
    const loads = weeks.map((week) => ({ window: windowOfWeeks(week, 1), reason: 'backfill' as const }));
    const planning = { configured: jobs.config.jobs, expectedThrough: undefined, choose: () => loads };
    planned.push(...(await planJob(planningPipeline(database), job, planning)).planned);
  }
  return planned;
}
