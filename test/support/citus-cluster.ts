// A Citus cluster on loopback: a coordinator and two workers, where Debian's PostgreSQL and the extension are installed.
import { access, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { findInstalledPostgres, initCluster, makeServerFolder, startCluster } from './installed-postgres.ts';

/** Addresses of the same database on each node, the coordinator's first. */
export type CitusNodes = readonly [coordinator: string, ...workers: string[]];

export type CitusCluster = Readonly<{
  nodes: CitusNodes;
  /** Ends a node, 0 being the coordinator, and starts it anew at its address. Resolves when it takes changes. */
  restart(node: number, signal: 'SIGQUIT' | 'SIGINT'): Promise<void>;
  stop(): Promise<void>;
}>;

const WORKERS = 2;
/** Few shards, so that a database is made in a second. The maintenance of each database takes a process. */
const SETTINGS = [
  "shared_preload_libraries = 'citus'",
  "citus.node_conninfo = 'sslmode=disable'",
  'citus.shard_count = 4',
  'max_connections = 400',
  'max_prepared_transactions = 400',
  'max_worker_processes = 200',
  'wal_level = logical',
  'max_wal_size = 2GB',
];

/** Programs of a PostgreSQL with the extension, or why there is none. */
export async function findCitus(): Promise<{ programs: string } | { missingBecause: string }> {
  const found = await findInstalledPostgres();
  if ('missingBecause' in found) return found;
  const version = dirname(found.programs).split('/').at(-1) ?? '';
  try {
    await access(join('/usr/share/postgresql', version, 'extension/citus.control'));
    return found;
  } catch {
    return { missingBecause: `PostgreSQL ${version} has no extension citus; install it or set TEST_CITUS_URL` };
  }
}

export async function startCitusCluster(programs: string): Promise<CitusCluster> {
  const folders = await Promise.all(Array.from({ length: WORKERS + 1 }, makeServerFolder));
  const servers = await Promise.all(
    folders.map(async (folder) => {
      await initCluster(programs, join(folder, 'cluster'), SETTINGS);
      return startCluster(programs, join(folder, 'cluster'));
    }),
  );
  const restart = async (node: number, signal: 'SIGQUIT' | 'SIGINT'): Promise<void> => {
    const server = servers[node];
    if (!server) throw new Error(`there is no node ${node}`);
    await server.stop(signal);
    servers[node] = await startCluster(programs, server.folder, { port: Number(new URL(server.url).port) });
  };
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  };
  // Any password will do, but tests look for it where it must not be.
  const [coordinator = '', ...workers] = servers.map(({ url }) => url.replace('searchmill@', 'searchmill:trusted@'));
  return { nodes: [coordinator, ...workers], restart, stop };
}

/** Makes the databases of one name on all nodes into a cluster, as a user does once by hand. A single node stays as it is. */
export async function joinNodes([coordinator, ...workers]: CitusNodes): Promise<void> {
  if (workers.length === 0) return;
  for (const url of [coordinator, ...workers]) await query(url, 'CREATE EXTENSION citus');
  const { hostname, port } = new URL(coordinator);
  await query(coordinator, 'SELECT citus_set_coordinator_host($1, $2)', [hostname, port]);
  for (const worker of workers) {
    const { hostname: host, port: at } = new URL(worker);
    await query(coordinator, 'SELECT citus_add_node($1, $2)', [host, at]);
  }
}

/** Addresses of the nodes of a cluster whose coordinator's address is known; the workers take the same user and password. */
export async function readNodes(coordinator: string): Promise<CitusNodes> {
  const rows = await query<{ host: string; port: number }>(
    coordinator,
    'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 ORDER BY groupid',
  );
  const workers = rows.map(({ host, port }) => {
    const address = new URL(coordinator);
    address.hostname = host;
    address.port = String(port);
    return address.href;
  });
  return [coordinator, ...workers];
}

async function query<Row extends pg.QueryResultRow>(connectionString: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
