// Rows that did not decode: listing them, showing them, and decoding them again after a fix. A replayed row joins the
// slice it came for; nothing is decoded by looser rules than any other row.

import { ConfigurationError } from '../core/errors.ts';
import { type IsoDate, monthsFromTo } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import { createDecoder, type Decoder } from './decode.ts';
import type { EndState, LiveState } from './executions.ts';
import { ensurePartitions, warehouseTable } from './partitions.ts';
import type { Client, Pool } from './pool.ts';
import { readStagedFacts } from './publish.ts';
import { copyRows, createStaging, dropStaging, stagingTable } from './staging.ts';
import { execute, executeTemplate, quoteIdentifier } from './statements.ts';
import { inTransaction } from './transaction.ts';

/** Quarantine of one execution that is published, held or running. */
export type QuarantineSummary = Readonly<{
  executionId: number;
  sliceId: number;
  job: string;
  dataset: string;
  windowStart: IsoDate;
  windowEnd: IsoDate;
  state: LiveState | EndState;
  rows: number;
  rowsReceived: number;
  columns: readonly string[];
  exampleReason: string;
}>;

export type QuarantinedRow = Readonly<{
  page: number;
  position: number;
  column: string | null;
  reason: string;
  schemaNames: readonly string[];
  raw: string;
}>;

/** How a replay ended: rows that decoded and joined their slice, and rows that still do not decode. */
export type Replay = Readonly<{ replayed: number; remaining: number; state: 'published' | 'staged' }>;

/** Most rows replayed in one transaction. */
const REPLAY_ROWS = 10_000;

export async function listQuarantine(pool: Pool, job?: string): Promise<QuarantineSummary[]> {
  return (await execute<QuarantineSummary>(pool, 'list-quarantine', [job ?? null])).rows;
}

export async function readQuarantine(db: Pool | Client, executionId: number, most: number, skip = 0): Promise<QuarantinedRow[]> {
  return (await execute<QuarantinedRow>(db, 'read-quarantine', [executionId, most, skip])).rows;
}

type ReplayedExecution = {
  id: number;
  state: 'held' | 'published';
  sliceId: number;
  dataset: string;
  accountId: number;
  windowStart: IsoDate;
  windowEnd: IsoDate;
};

/**
 * Decodes an execution's quarantined rows again. Rows of a held execution join its staging, and it is audited again; rows of
 * a published one join the table. All in one transaction.
 * Throws ConfigurationError when the execution is neither held nor what its slice is published from, StoreError.
 */
export async function replayQuarantine(pool: Pool, executionId: number): Promise<Replay> {
  return inTransaction(pool, async (client) => {
    const found = await lockForReplay(client, executionId);
    await execute(client, 'lock-account', [found.dataset, found.accountId]);
    // Once more: a publish that was under way may have replaced it.
    const execution = await lockForReplay(client, executionId);
    const dataset = datasetNamed(execution.dataset);
    const quarantined = await readQuarantine(client, executionId, REPLAY_ROWS);
    const decoded = decodeAgain(dataset, quarantined);
    if (decoded.rows.length > 0) {
      if (execution.state === 'published') await joinTable(pool, client, dataset, execution, decoded);
      else await copyRows(client, dataset, executionId, [Buffer.from(decoded.copyText)]);
      await execute(client, 'mark-replayed', [executionId, decoded.rows.map((row) => row.page), decoded.rows.map((row) => row.position)]);
      await execute(client, 'count-replayed', [executionId, decoded.rows.length]);
    }
    const state = execution.state === 'held' && decoded.rows.length > 0 ? 'staged' : 'published';
    return { replayed: decoded.rows.length, remaining: quarantined.length - decoded.rows.length, state };
  });
}

async function lockForReplay(client: Client, executionId: number): Promise<ReplayedExecution> {
  const { rows } = await execute<ReplayedExecution>(client, 'lock-for-replay', [executionId]);
  if (rows[0]) return rows[0];
  throw new ConfigurationError(
    `execution ${executionId} is neither held nor published now; "searchmill quarantine list" shows what can be replayed`,
  );
}

function decodeAgain(dataset: Dataset, quarantined: readonly QuarantinedRow[]): { copyText: string; rows: readonly QuarantinedRow[] } {
  const wireTypes = new Map(dataset.columns.map((column) => [column.name, column.wire]));
  const decoders = new Map<string, Decoder>();
  let copyText = '';
  const rows = quarantined.filter((row) => {
    const key = JSON.stringify(row.schemaNames);
    const decoder =
      decoders.get(key) ??
      createDecoder(
        dataset,
        row.schemaNames.map((name) => ({ name, type: wireTypes.get(name) ?? 'string' })),
      );
    decoders.set(key, decoder);
    const decoded = decoder.decodePage([JSON.parse(row.raw)], row.page, row.position);
    copyText += decoded.copyText;
    return decoded.staged === 1;
  });
  return { copyText, rows };
}

async function joinTable(
  pool: Pool,
  client: Client,
  dataset: Dataset,
  execution: ReplayedExecution,
  decoded: { copyText: string; rows: readonly QuarantinedRow[] },
): Promise<void> {
  await ensurePartitions(pool, dataset, monthsFromTo(execution.windowStart, execution.windowEnd));
  await createStaging(client, dataset, execution.id);
  await copyRows(client, dataset, execution.id, [Buffer.from(decoded.copyText)]);
  const facts = await readStagedFacts(client, execution);
  if (facts.outside > 0 || facts.otherAccount > 0) {
    throw new ConfigurationError(
      `${facts.outside + facts.otherAccount} rows of execution ${execution.id} decode now, but lie outside its window or account; nothing was replayed`,
    );
  }
  const names = dataset.columns.map((column) => quoteIdentifier(column.name));
  await executeTemplate(
    client,
    'add-rows',
    {
      table: warehouseTable(dataset),
      staging: stagingTable(execution.id),
      columns: names.join(', '),
      staged_columns: names.map((name) => `s.${name}`).join(', '),
    },
    [execution.sliceId],
  );
  await execute(client, 'count-added', [execution.id, decoded.rows.length]);
  await dropStaging(client, execution.id);
}
