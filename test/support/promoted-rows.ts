// Rows with columns more than the table has, as processes load them that do not know these columns.
import type { Job } from '../../src/config/settings.ts';
import { windowOfWeeks } from '../../src/core/weeks.ts';
import type { Publication } from '../../src/ledger/execution-histories.ts';
import { readExecution } from '../../src/ledger/executions.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { commitPages } from '../../src/publishing/checkpoint.ts';
import { ensurePartitions } from '../../src/tables/partitions.ts';
import { LEASE, WEEK } from './ledger.ts';
import { publish, submitWindow } from './window-steps.ts';
import { decodedPage, schemaOf, wireRow } from './wire-rows.ts';

export type Extra = Readonly<Record<string, unknown>>;

/** A row of a search. `extra`: values by column. */
export type ExtraRow = Readonly<{ query: string; extra: Extra; rank?: string }>;

/** Stages rows that have columns more than the table. */
export async function stageWith(pool: Pool, job: Job, rows: readonly ExtraRow[], start = WEEK.start) {
  const names = [...new Set(rows.flatMap(({ extra }) => Object.keys(extra)))];
  const schema = [...schemaOf(job.dataset), ...names.map((name) => ({ name, type: 'string' }))];
  const sent = rows.map(({ query, extra, rank }) => [
    ...wireRow(job, { query, rank_true: rank ?? '1' }, start),
    ...names.map((name) => extra[name] ?? null),
  ]);
  const execution = await submitWindow(pool, job, windowOfWeeks(start, 1));
  const page = { ...decodedPage(job.dataset, 1, sent, { schema }), newSchema: schema };
  await commitPages(pool, job.dataset, execution, { ...LEASE, pages: [page] });
  await ensurePartitions(pool, job.dataset, [`${start.slice(0, 7)}-01`]);
  return readExecution(pool, execution);
}

/** Stages and publishes them. */
export async function loadWith(pool: Pool, job: Job, rows: readonly ExtraRow[], start = WEEK.start): Promise<Publication> {
  return publish(pool, job, await stageWith(pool, job, rows, start));
}
