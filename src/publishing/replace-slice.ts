// Makes the table equal to the staged rows of a slice, as part of the publishing transaction: deletes vanished rows, rewrites changed ones,
// inserts new ones. Each statement must touch exactly the rows that were found before (written-rows.ts).
import pg from 'pg';
import type { Dataset } from '../datasets/dataset.ts';
import type { Publication } from '../ledger/execution-histories.ts';
import type { Execution } from '../ledger/executions.ts';
import type { Client } from '../postgres/pool.ts';
import { execute, executeTemplate, type FragmentsOf, readRows } from '../postgres/statements.ts';
import { isOutOfRoom, isUniqueViolation } from '../postgres/store-errors.ts';
import { inSavepoint } from '../postgres/transaction.ts';
import { hasNodes } from '../tables/citus/citus.ts';
import type { RowExtent } from '../tables/lock-rows.ts';
import { columnLists, findPartition, monthTable, warehouseTable } from '../tables/partitions.ts';
import { rowDigest, type TakenRows } from '../tables/published-periods.ts';
import { stagingTable } from '../tables/staging.ts';
import { expectRows } from '../tables/written-rows.ts';

/** From this many rows on, several server processes share the comparison. */
const MANY_ROWS = 20_000;

/** `duplicates`: rows that share their key with an earlier one. `taken`: rows that belonged to slices of other jobs. */
type Replacement = Publication & Readonly<{ duplicates: number; taken: readonly TakenRows[] }>;

/** Number of staged rows, and their earliest and latest time_period_start, null without rows. */
type Staged = Readonly<{ rows: number; first: string | null; last: string | null }>;

/**
 * The partition that takes all rows, if there is one and if nothing on the table would miss rows written past it; else the table. Through the
 * table, Postgres looks the partition up for each row, which takes a fourth of the time of an insert.
 */
async function findTarget(client: Client, dataset: Dataset, { first, last }: Staged): Promise<string> {
  if (first === null || first.slice(0, 7) !== last?.slice(0, 7)) return warehouseTable(dataset);
  const partition = await findPartition(client, dataset, first);
  return partition?.takesAlone ? monthTable(partition.name) : warehouseTable(dataset);
}

/** Compares the staged rows, `rows` of them, with those of the table. Throws StoreError. */
async function findChanges(client: Client, rows: number, fragments: FragmentsOf<'publish/find-changes'>): Promise<void> {
  const compare = async (isShared: boolean) => {
    await execute(client, 'publish/set-planner-settings', { isShared });
    return executeTemplate(client, 'publish/find-changes', fragments);
  };
  // Several processes may need more shared memory than a container allows the server; then one process compares.
  const isCompared = rows >= MANY_ROWS && (await inSavepoint(client, () => compare(true), isOutOfRoom));
  if (isCompared) await execute(client, 'publish/set-planner-settings', { isShared: false });
  else await compare(false);
}

/** Inputs of a replacement. `examine` is called before rows are deleted or taken from other jobs, while searchmill_changes lists them; it may throw. */
type Pieces = Readonly<{ facts: Staged; extent: RowExtent; examine?: ((client: Client) => Promise<void>) | undefined }>;

/** Throws UnwrittenRowsError when the table does not take the rows; StoreError; what `examine` throws. */
export async function replaceSlice(
  client: Client,
  dataset: Dataset,
  execution: Execution,
  { facts, extent, examine }: Pieces,
): Promise<Replacement> {
  const table = warehouseTable(dataset);
  const staging = stagingTable(execution.id);
  const { columns, columnsOf, measuresOf, assignMeasures } = columnLists(dataset);
  await execute(client, 'sessions/raise-work-mem');
  const numberDuplicates = async (): Promise<number> => {
    const { rows } = await executeTemplate(client, 'staging/has-duplicates', { staging });
    if (!rows[0]?.found) return 0;
    await executeTemplate(client, 'staging/analyze', { staging, columns: 'account_id, time_period_start, _key' });
    const measures = dataset.columns.filter(({ isIdentity }) => !isIdentity);
    const collated = measures.map(({ name, pg: type }) => `s.${pg.escapeIdentifier(name)}${type === 'text' ? ' COLLATE "C"' : ''}`);
    const order = [...collated, 's._extra'].join(', ');
    return (await executeTemplate(client, 'staging/number-duplicates', { staging, order })).rowCount ?? 0;
  };

  const staged_columns = columnsOf('s');
  const { sliceId } = execution;
  const { accounts, from, to } = extent;
  const span = { accounts, from, to };
  // Only with Citus: triggers of a table would see a statement without rows.
  const noteWriting = async (): Promise<void> => {
    if (await hasNodes(client)) await executeTemplate(client, 'publish/note-writing', { table }, { accounts, day: from });
  };
  const { rows: present } = await executeTemplate(client, 'tables/has-rows', { table }, span);
  if (!present[0]?.found) {
    const target = await findTarget(client, dataset, facts);
    const fragments = { table: target, staging, columns, staged_columns };
    const insert = async (): Promise<number> =>
      expectRows(await executeTemplate(client, 'publish/insert-all-rows', fragments, { sliceId }), facts.rows, target);
    // Few answers have duplicates, and looking for them takes a third of publishing. So the primary key detects them.
    const { rows: last } = await execute(client, 'publish/had-duplicates', { job: execution.job });
    await noteWriting();
    const inserted = last[0]?.found ? undefined : await inSavepoint(client, insert, isUniqueViolation);
    if (inserted !== undefined) return { inserted, updated: 0, unchanged: 0, deleted: 0, duplicates: 0, taken: [] };
    const duplicates = await numberDuplicates();
    return { inserted: await insert(), updated: 0, unchanged: 0, deleted: 0, duplicates, taken: [] };
  }

  const duplicates = await numberDuplicates();
  // CREATE TABLE AS takes no parameters, so the values are literals in the statement.
  await findChanges(client, facts.rows, {
    table,
    staging,
    accounts: `ARRAY[${extent.accounts.join(', ')}]::bigint[]`,
    first: pg.escapeLiteral(extent.from),
    last: pg.escapeLiteral(extent.to),
    account: String(execution.accountId),
    window_start: pg.escapeLiteral(execution.windowStart),
    window_end: pg.escapeLiteral(execution.windowEnd),
    job: pg.escapeLiteral(execution.job),
    slice: String(execution.sliceId),
    table_values: measuresOf('t'),
    staged_values: measuresOf('s'),
    digest: rowDigest(dataset, 't'),
  });
  const { rows: counted } = await execute(client, 'publish/count-changes');
  const { inserts = 0, updates = 0, deletes = 0, reassigns = 0, surplus = 0, others = 0 } = counted[0] ?? {};
  if (inserts + updates + deletes + reassigns + surplus > 0) await execute(client, 'publish/analyze-changes');
  const kept = surplus > 0 ? ((await executeTemplate(client, 'publish/keep-unstaged-keys', { staging })).rowCount ?? 0) : 0;
  const deleted = deletes + surplus - kept;
  if (deletes + others > 0) await examine?.(client);
  const taken = others > 0 ? await readRows(client, 'publish/find-taken') : [];
  if (deleted > 0) expectRows(await executeTemplate(client, 'publish/delete-rows', { table }, span), deleted, table);
  if (reassigns > 0) expectRows(await executeTemplate(client, 'publish/reassign-rows', { table }, { sliceId, ...span }), reassigns, table);
  if (updates > 0) {
    const fragments = { table, staging, assignments: assignMeasures('s') };
    expectRows(await executeTemplate(client, 'publish/update-rows', fragments, { sliceId, ...span }), updates, table);
  }
  if (inserts > 0) {
    await noteWriting();
    const fragments = { table, staging, columns, staged_columns };
    expectRows(await executeTemplate(client, 'publish/insert-rows', fragments, { sliceId }), inserts, table);
  }
  await execute(client, 'publish/reset-planner-settings');
  return { inserted: inserts, updated: updates, unchanged: facts.rows - inserts - updates, deleted, duplicates, taken };
}
