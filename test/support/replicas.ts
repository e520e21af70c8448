// A primary and a standby that follows it by streaming, behind one address that can be moved from one to the other.
import { execFile } from 'node:child_process';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findBinaries } from '../../embedded/binaries.ts';
import { placeBinaries } from '../../embedded/placement.ts';
import { installPostgres } from '../../scripts/postgres/versions.ts';
import { openProxy, type TcpProxy } from '../chaos/tcp-proxy.ts';
import { type InstalledPostgres, initCluster, makeServerFolder, serverUser, startCluster } from './installed-postgres.ts';
import { until } from './wait.ts';

const STANDBY = 'standby';

export interface Replicas {
  /** Address and port of each server, without the proxy. */
  readonly primary: InstalledPostgres;
  readonly standby: InstalledPostgres;
  /** What Searchmill is told; the connections there are stay where they are when it moves. */
  readonly address: TcpProxy;
  /** Rows of a query to a server's database. */
  read<T extends pg.QueryResultRow>(server: InstalledPostgres, sql: string, database?: string): Promise<T[]>;
  close(): Promise<void>;
}

/** Where initdb and postgres of npm's package are, for servers in `folder`; of TEST_POSTGRES_VERSION where that is set. */
function placePrograms(folder: string): string {
  const version = process.env.TEST_POSTGRES_VERSION;
  return join(placeBinaries(version ? installPostgres(version) : findBinaries(), folder, serverUser()).root, 'bin');
}

/** Starts both. With `isSynchronous` every commit waits for the standby. */
export async function startReplicas({ isSynchronous }: { isSynchronous: boolean }): Promise<Replicas> {
  const folder = await makeServerFolder();
  const programs = placePrograms(folder);
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  await initCluster(programs, first, ['max_connections = 200', 'wal_keep_size = 1GB']);
  // As pg_basebackup, which npm's packages lack, would have made it.
  await promisify(execFile)('cp', ['-a', first, second]);
  const primary = await startCluster(programs, first);
  const { port } = new URL(primary.url);
  await appendFile(
    join(second, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=searchmill application_name=${STANDBY}'\n`,
  );
  await writeFile(join(second, 'standby.signal'), '');
  const standby = await startCluster(programs, second, { isStandby: true });
  const read = async <T extends pg.QueryResultRow>(server: InstalledPostgres, sql: string, database = 'postgres'): Promise<T[]> => {
    const client = new pg.Client({ connectionString: new URL(`/${database}`, server.url).href, application_name: 'onlooker' });
    await client.connect();
    try {
      return (await client.query<T>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  await until(
    'the standby to follow',
    async () => (await read(primary, "SELECT FROM pg_stat_replication WHERE state = 'streaming'")).length > 0,
  );
  if (isSynchronous) {
    await read(primary, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
    await read(primary, 'SELECT pg_reload_conf()');
    await until(
      'commits to wait',
      async () => (await read(primary, "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")).length > 0,
    );
  }
  const address = await openProxy(Number(port));
  return {
    primary,
    standby,
    address,
    read,
    async close() {
      await address.close();
      await Promise.all([primary.stop(), standby.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
