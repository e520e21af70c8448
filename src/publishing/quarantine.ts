// Rows that did not decode: listing them, showing them, and decoding them again after a fix. A replayed row joins the slice it came for. It
// is decoded by the same rules as any other row.

import { BufferPool } from '../codec/buffer-pool.ts';
import { CopyRows } from '../codec/copy-rows.ts';
import { createDecoder, type Decoder } from '../codec/decode.ts';
import { HOUR } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { ConfigurationError } from '../core/errors.ts';
import { parseRow } from '../core/exact-json.ts';
import { sumOf } from '../core/numbers.ts';
import { monthsFromTo } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import type { Execution } from '../ledger/executions.ts';
import { sweepAfterEnd } from '../ledger/leftover-staging.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, execute, executeTemplate, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { lockRows } from '../tables/lock-rows.ts';
import { columnLists, ensurePartitions, warehouseTable } from '../tables/partitions.ts';
import { addPeriods, noteTaken, rowDigest } from '../tables/published-periods.ts';
import { copyRows, openStagingAgain, stagingTable } from '../tables/staging.ts';
import { expectContent } from '../tables/written-content.ts';
import { expectRows, explainRows } from '../tables/written-rows.ts';
import { countPublished, readStagedFacts } from './publish.ts';

/** Quarantine of one execution that is published, held or running. */
export type QuarantineSummary = DescribedRow<'quarantine/list'>;

export type QuarantinedRow = Readonly<{
  page: number;
  position: number;
  column: string | null;
  reason: string;
  schemaNames: readonly string[];
  raw: string;
}>;

/** Outcome of a replay, in rows. */
export type Replay = Readonly<{
  /** Rows that decode now, and are in their slice. */
  replayed: number;
  /** Rows that still do not decode. */
  remaining: number;
  /** Rows that decode now, but whose week another slice of their job has published since; they are left alone. */
  replaced: number;
  /** The execution is still published; or staged to be audited again; or still held because no row decoded. */
  state: 'published' | 'staged' | 'held';
}>;

/** Rows decoded at once. */
const BATCH_ROWS = 10_000;
/** Upper limit, because a replay may have millions of rows. */
const MAX_REPLAY_MS = HOUR;

export const listQuarantine = (pool: Pool, job?: string): Promise<QuarantineSummary[]> => readRows(pool, 'quarantine/list', { job });

/** The first `maxRows` rows in quarantine of an execution, or those that follow `after`. */
export async function readQuarantine(
  db: Pool | Client,
  executionId: number,
  maxRows: number,
  after: Pick<QuarantinedRow, 'page' | 'position'> = { page: 0, position: 0 },
): Promise<QuarantinedRow[]> {
  const values = { executionId, maxRows, afterPage: after.page, afterPosition: after.position };
  return readRows(db, 'quarantine/read', values);
}

type ReplayedExecution = Pick<
  Execution,
  'id' | 'rowsStaged' | 'request' | 'sliceId' | 'job' | 'dataset' | 'accountId' | 'windowStart' | 'windowEnd'
> &
  Readonly<{ state: 'held' | 'published' }>;

/**
 * Decodes an execution's quarantined rows again, in one transaction. Rows of a held execution join its staging, and it is audited again;
 * rows of a published one join the table.
 * Throws ConfigurationError unless the execution is held or is the one that its slice was published from last, and also when the table would not be exact
 * afterwards; UnwrittenRowsError when the table does not take the rows; StoreError. In all cases nothing has changed.
 */
export async function replayQuarantine(pool: Pool, executionId: number): Promise<Replay> {
  const replay = async (client: Client): Promise<Replay> => {
    const found = await lockForReplay(client, executionId);
    await lockRows(client, { name: found.dataset }, found);
    // Read again: a publish that was in progress may have superseded it.
    const execution = await lockForReplay(client, executionId);
    const dataset = datasetNamed(execution.dataset);
    // A held execution still has its staging.
    if (execution.state === 'published') await openStagingAgain(client, dataset, executionId);
    const { staged, rejected } = await stageAgain(client, dataset, executionId);
    const replaced = execution.state === 'published' ? await removeSuperseded(client, execution) : 0;
    const replayed = staged - replaced;
    if (replayed > 0) {
      if (execution.state === 'published') await joinTable(client, dataset, execution, replayed);
      await executeTemplate(client, 'replay/mark', { staging: stagingTable(executionId) }, { executionId });
      await execute(client, 'transitions/count-replayed', { executionId, rows: replayed });
    }
    const state = execution.state === 'held' && replayed > 0 ? 'staged' : execution.state;
    return { replayed, remaining: rejected, replaced, state };
  };
  // Created before the transaction, which would otherwise wait for a second connection while it holds one.
  const { dataset: name, windowStart, windowEnd } = await lockForReplay(pool, executionId);
  const dataset = datasetNamed(name);
  await ensurePartitions(pool, dataset, monthsFromTo(windowStart, windowEnd));
  using deadline = openDeadline(MAX_REPLAY_MS);
  const replayAll = () => inTransaction(pool, replay, { signal: deadline.signal });
  const replayed = await explainRows(pool, dataset, replayAll);
  await sweepAfterEnd(pool, executionId);
  return replayed;
}

/** Copies the quarantined rows that decode now to staging, in batches, in their original order. */
async function stageAgain(client: Client, dataset: Dataset, executionId: number): Promise<{ staged: number; rejected: number }> {
  const decodeRow = createReplayDecoder(dataset);
  let [staged, rejected] = [0, 0];
  let last: QuarantinedRow | undefined;
  do {
    const batch: QuarantinedRow[] = await readQuarantine(client, executionId, BATCH_ROWS, last);
    const decoded = batch.map(decodeRow).filter(({ length }) => length > 0);
    if (decoded.length > 0) await copyRows(client, dataset, executionId, [Buffer.concat(decoded)]);
    staged += decoded.length;
    rejected += batch.length - decoded.length;
    last = batch.length < BATCH_ROWS ? undefined : batch.at(-1);
  } while (last);
  return { staged, rejected };
}

async function lockForReplay(db: Pool | Client, executionId: number): Promise<ReplayedExecution> {
  const [found] = await readRows<'replay/lock', ReplayedExecution>(db, 'replay/lock', { executionId });
  if (found) return found;
  throw new ConfigurationError(
    `execution ${executionId} is neither held nor published now; "searchmill quarantine list" shows what can be replayed`,
  );
}

/** Decodes one quarantined row by the column names it came with: a row for COPY, empty when it still does not decode. */
function createReplayDecoder(dataset: Dataset): (row: QuarantinedRow) => Buffer {
  const wireTypes = new Map(dataset.columns.map((column) => [column.name, column.wire]));
  const decoders = new Map<string, Decoder>();
  const buffers = new BufferPool();
  return ({ schemaNames, raw, page, position }) => {
    const key = JSON.stringify(schemaNames);
    const decoder =
      decoders.get(key) ??
      createDecoder(
        dataset,
        schemaNames.map((name) => ({ name, type: wireTypes.get(name) ?? 'string' })),
      );
    decoders.set(key, decoder);
    const into = new CopyRows(buffers, 2 * raw.length);
    decoder.decodeRow(parseRow(raw), { page, position }, into, () => raw);
    return into.data;
  };
}

async function removeSuperseded(client: Client, { id, sliceId }: ReplayedExecution): Promise<number> {
  return (await executeTemplate(client, 'replay/remove-superseded', { staging: stagingTable(id) }, { sliceId })).rowCount ?? 0;
}

/**
 * Adds the staged rows, all of which come from quarantine, to what is published of their slice. As in a publish, rows of other jobs with the
 * same keys are reassigned.
 */
async function joinTable(client: Client, dataset: Dataset, execution: ReplayedExecution, replayed: number): Promise<void> {
  const { id: executionId, sliceId, job } = execution;
  const table = warehouseTable(dataset);
  const staging = stagingTable(execution.id);
  const facts = await readStagedFacts(client, execution);
  const misplaced = facts.outside + facts.offPeriod + facts.otherAccount;
  if (misplaced > 0) {
    throw new ConfigurationError(
      `${misplaced} rows of execution ${execution.id} decode now, but are not of its window, period or account; nothing was replayed`,
    );
  }
  await executeTemplate(client, 'replay/number', { table, staging }, { job });
  const shared = await countShared(client, dataset, execution);
  const { columns, columnsOf, measuresOf, assignMeasures } = columnLists(dataset);
  const taken = await executeTemplate(client, 'replay/find-taken', { table, staging, digest: rowDigest(dataset, 't') }, { job });
  await noteTaken(client, job, taken.rows);
  await addPeriods(client, dataset, execution, facts.periods);
  const inserted = replayed - shared.rows;
  const updated = shared.different;
  const added = {
    table,
    staging,
    columns,
    staged_columns: columnsOf('s'),
    assignments: assignMeasures('excluded'),
    table_values: measuresOf('t'),
    given_values: measuresOf('excluded'),
  };
  expectRows(await executeTemplate(client, 'replay/add-rows', added, { sliceId }), inserted + updated, table);
  const reassigned = await executeTemplate(client, 'replay/reassign-shared', { table, staging }, { sliceId });
  expectRows(reassigned, shared.rows - updated, table);
  const surplus = await executeTemplate(client, 'replay/delete-surplus', { table, staging }, { job });
  const deleted = expectRows(surplus, shared.surplus, table);
  await expectContent(client, dataset, execution, {
    accounts: [String(execution.accountId)],
    from: execution.windowStart,
    to: execution.windowEnd,
  });
  const { weekRows } = facts;
  await execute(client, 'replay/count-added', { executionId, rows: replayed, inserted, updated, deleted, weekRows });
}

type Shared = Readonly<{ rows: number; different: number; surplus: number }>;

/**
 * Counts the numbered rows that another job has in the table (`rows`), those of them with other values (`different`), and its rows of
 * replayed keys beyond them (`surplus`). A shared row is either the replayed one, or one that this slice already shares with that job. Which
 * of the two is known only while all rows of this slice are its own. Throws ConfigurationError when it is not known.
 */
async function countShared(client: Client, dataset: Dataset, execution: ReplayedExecution): Promise<Shared> {
  const { measuresOf } = columnLists(dataset);
  const tables = { table: warehouseTable(dataset), staging: stagingTable(execution.id) };
  const fragments = { ...tables, table_values: measuresOf('t'), staged_values: measuresOf('s') };
  const found = await executeTemplate(client, 'replay/count-shared', fragments);
  const beyond = await executeTemplate(client, 'replay/count-surplus', tables, { job: execution.job });
  const shared = { ...(found.rows[0] ?? { rows: 0, different: 0 }), surplus: beyond.rows[0]?.rows ?? 0 };
  if (shared.rows === 0 || sumOf(await countPublished(client, dataset, execution), (rows) => rows) === execution.rowsStaged) return shared;
  const { job, windowStart, windowEnd } = execution;
  throw new ConfigurationError(
    `${shared.rows} rows of execution ${execution.id} decode now, but other jobs have rows like them, and it is no longer known which of them are the same; nothing was replayed. ` +
      `"searchmill run ${job} --from ${windowStart} --to ${windowEnd} --reload" asks for them again`,
  );
}
