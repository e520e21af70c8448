// Distributes the seven tables and their summaries over the nodes of a Citus cluster, each account's rows on one node, and undoes that.
// Ledger and staging stay on the coordinator (docs/decisions/0017-citus.md).
import type pg from 'pg';
import { ConfigurationError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import { DATASETS } from '../../datasets/index.ts';
import { retryWhileLocked } from '../../postgres/lock-retries.ts';
import { execute, executeTemplate, readRows } from '../../postgres/statements.ts';
import { inOwnSession } from '../../postgres/transaction.ts';
import { warehouseTable } from '../partitions.ts';
import { expectRows, UnwrittenRowsError } from '../written-rows.ts';

export type DistributionOptions = Readonly<{
  /** Called with a line for each table before its rows move, for the sessions it waits for, and for roles that a node lacks. */
  tell?: ((line: string) => void) | undefined;
}>;

/** Tables in schema search, and `summaries`: those that were moved, and those that needed no move. */
export type Moved = Readonly<{ moved: readonly string[]; already: readonly string[] }>;

type Verb = 'distribute' | 'undistribute';

type Distributed = Readonly<{ schema: string; name: string; column: string; colocation: number }>;

/** The first column of every primary key; every statement of a load names a value for it. */
const COLUMN = 'account_id';

/** All tables of schema search_stored. They store the summaries and are moved together. */
const SUMMARIES = 'summaries';

/**
 * Distributes the tables that are not distributed yet, one after another. After an interruption, the next call continues. Readers and loads
 * of a table wait while its rows move. Throws ConfigurationError when there is no cluster, or it is distributed differently; StoreError.
 */
export async function distributeTables(url: Secret, { tell = () => undefined }: DistributionOptions = {}): Promise<Moved> {
  return moveTables(url, 'distribute', tell, async (client) => {
    await requireCluster(client);
    const distributed = await readDistributed(client);
    requireTogether(distributed);
    for (const { node, roles } of await readRows(client, 'citus/find-lacking-roles'))
      tell(`${node} lacks ${roles}, whose sessions it would refuse: run CREATE ROLE and GRANT there as on the coordinator`);
    for (const { signature } of await readRows(client, 'citus/find-functions'))
      await execute(client, 'citus/distribute-function', { signature });
    const there = new Set(distributed.map(({ name }) => name));
    let colocateWith = nameOf(distributed[0]) || 'none';
    return async (name) => {
      if (name === SUMMARIES) return distributeSummaries(client, distributed, colocateWith, tell);
      const table = warehouseTable({ name });
      if (!there.has(name)) {
        tell(`search.${name}: its rows go to their nodes ...`);
        await moveWhole(client, 'distribute', [table], async () => {
          // With a trigger of people, Citus refuses the table.
          if ((await readRows(client, 'tables/has-triggers', { dataset: name }))[0]?.found === false)
            await execute(client, 'citus/allow-triggers');
          return execute(client, 'citus/distribute-table', { table, colocateWith });
        });
        colocateWith = table;
      }
      // Also needed for a table that an earlier call distributed before it was interrupted here.
      await execute(client, 'citus/remove-local-rows', { table });
      return !there.has(name);
    };
  });
}

/** Moves all rows back to the coordinator, table by table. Throws as distributeTables() does. */
export async function undistributeTables(url: Secret, { tell = () => undefined }: DistributionOptions = {}): Promise<Moved> {
  return moveTables(url, 'undistribute', tell, async (client) => {
    await requireCluster(client);
    const tables = await readDistributed(client);
    const distributed = new Set(tables.map(({ name }) => name));
    return async (name) => {
      if (name === SUMMARIES) {
        if (!tables.some(isSummary)) return false;
        tell('summaries: their rows come back to the coordinator ...');
        await moveWhole(client, 'undistribute', await readSummaries(client), () => execute(client, 'citus/undistribute-summaries'));
        return true;
      }
      if (!distributed.has(name)) return false;
      tell(`search.${name}: its rows come back to the coordinator ...`);
      const table = warehouseTable({ name });
      await moveWhole(client, 'undistribute', [table], () => execute(client, 'citus/undistribute-table', { name }));
      return true;
    };
  });
}

async function moveTables(
  url: Secret,
  verb: Verb,
  tell: (line: string) => void,
  prepare: (client: pg.ClientBase) => Promise<(name: string) => Promise<boolean>>,
): Promise<Moved> {
  const moved: string[] = [];
  let current: string = verb;
  await retryWhileLocked(url, { tell, verb, describe: async () => current }, async (client) => {
    const move = await prepare(client);
    for (const name of NAMES) {
      current = `moving ${name === SUMMARIES ? name : `search.${name}`}`;
      if (await move(name)) moved.push(name);
    }
  });
  return { moved, already: NAMES.filter((name) => !moved.includes(name)) };
}

/** In the order in which they move. */
const NAMES: readonly string[] = [...DATASETS.map(({ name }) => name), SUMMARIES];

const isSummary = ({ schema }: Distributed): boolean => schema === 'search_stored';

/** Returns false when all were distributed already. */
async function distributeSummaries(
  client: pg.ClientBase,
  distributed: readonly Distributed[],
  colocateWith: string,
  tell: (line: string) => void,
): Promise<boolean> {
  const stored = await readSummaries(client);
  const isThere = distributed.filter(isSummary).length === stored.length;
  if (!isThere) {
    tell('summaries: their rows go to their nodes ...');
    await moveWhole(client, 'distribute', stored, () => execute(client, 'citus/distribute-summaries', { colocateWith }));
  }
  // Also needed for tables that an earlier call distributed before it was interrupted here.
  await execute(client, 'citus/remove-local-summaries');
  return !isThere;
}

/**
 * Runs `move` in one transaction in which nobody else reads or writes the tables. It is rolled back when the rows of a table differ
 * afterwards. Throws StoreError, and what `move` throws.
 */
async function moveWhole(client: pg.ClientBase, verb: Verb, tables: readonly string[], move: () => Promise<unknown>): Promise<void> {
  try {
    await inOwnSession(client, async () => {
      await executeTemplate(client, 'citus/lock-tables', { tables: tables.join(', ') });
      const before = new Map<string, number>();
      for (const table of tables) before.set(table, await countRows(client, table));
      await move();
      for (const [table, rows] of before) expectRows({ command: verb, rowCount: await countRows(client, table) }, rows, table);
    });
  } catch (error) {
    if (!(error instanceof UnwrittenRowsError)) throw error;
    throw new UnwrittenRowsError(
      `${error.message}, so all was undone: look on every node for event triggers, and for triggers and rules on the table, its partitions and their shards; then run "searchmill ${verb}" again`,
      { retryable: false, cause: error },
    );
  }
}

async function countRows(client: pg.ClientBase, table: string): Promise<number> {
  const { rows } = await executeTemplate(client, 'citus/count-rows', { table });
  return rows[0]?.rows ?? 0;
}

/** Names of the tables that store summaries. */
const readSummaries = async (client: pg.ClientBase): Promise<string[]> =>
  (await readRows(client, 'citus/find-summaries')).map(({ name }) => name);

const readDistributed = (client: pg.ClientBase): Promise<Distributed[]> => readRows(client, 'citus/find-distributed');

async function requireCluster(client: pg.ClientBase): Promise<void> {
  const [extension] = await readRows(client, 'citus/find-extension');
  if (!extension?.version)
    throw new ConfigurationError(
      'the server of DATABASE_URL has no Citus: install the extension on every node, or use a server that has it',
    );
  if (!extension.isCreated)
    throw new ConfigurationError(
      `the server has Citus ${extension.version}, but this database does not use it: run CREATE EXTENSION citus in it on every node, then citus_set_coordinator_host and citus_add_node on the coordinator`,
    );
  const [cluster] = await readRows(client, 'citus/read-cluster');
  if (!cluster?.isCoordinator) throw new ConfigurationError('DATABASE_URL names a worker of the Citus cluster: set it to the coordinator');
  if (cluster.shardNodes === 0)
    throw new ConfigurationError(
      "no node of the Citus cluster may hold rows: add workers by SELECT citus_add_node('<host>', <port>), or let the coordinator hold some by SELECT citus_set_node_property('<host>', <port>, 'shouldhaveshards', true)",
    );
}

const nameOf = (table: Distributed | undefined): string => (table ? `${table.schema}.${table.name}` : '');

/** Checks that all tables are distributed by the same column with their shards together: only then do joins stay on a node. */
function requireTogether(distributed: readonly Distributed[]): void {
  const other = distributed.find(({ column }) => column !== COLUMN);
  if (other)
    throw new ConfigurationError(
      `${nameOf(other)} is distributed by ${other.column}; Searchmill needs ${COLUMN}: run "searchmill undistribute" first`,
    );
  const apart = distributed.find(({ colocation }) => colocation !== distributed[0]?.colocation);
  if (apart)
    throw new ConfigurationError(
      `${nameOf(apart)} is not colocated with ${nameOf(distributed[0])}: run SELECT update_distributed_table_colocation('${nameOf(apart)}', '${nameOf(distributed[0])}')`,
    );
}
