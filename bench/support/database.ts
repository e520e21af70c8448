// Databases for measurements: each a fresh copy of the migrated one.
import { randomBytes } from 'node:crypto';
import type { Secret } from '../../src/core/secret.ts';
import { createPool, type Pool } from '../../src/postgres/pool.ts';
import type { Bench } from './bench.ts';
import { canMeasure, cpuSecondsOfServer, readParent } from './resources.ts';
import { addressOf, withClient } from './servers.ts';

export type Database = Readonly<{
  url: Secret;
  pool: Pool;
  /** Drops it, even if others are connected. It is dropped with the figure's scope at the latest. */
  drop: () => Promise<void>;
}>;

/** Creates a migrated, empty database, with nothing from earlier measurements left to write to disk. */
export async function createDatabase(bench: Bench): Promise<Database> {
  const { databaseUrl, databasePrefix, template } = bench.servers;
  const name = `${databasePrefix}${randomBytes(6).toString('hex')}`;
  await withClient(databaseUrl, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  const url = addressOf(databaseUrl, name);
  const pool = createPool(url, { applicationName: 'searchmill bench', max: 4 });
  let dropped: Promise<void> | undefined;
  const drop = (): Promise<void> => {
    dropped ??= withClient(databaseUrl, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }).then(() => pool.end());
    return dropped;
  };
  bench.scope.defer(drop);
  // The id is part of the keys in Redis, and the copy has the same one.
  await pool.query('UPDATE searchmill.ledger SET id = gen_random_uuid()');
  await settle(pool);
  return { url, pool, drop };
}

/** Makes the server write pending data to disk, so that the next measurement does not pay for it. */
export async function settle(pool: Pool): Promise<void> {
  // A given server may allow this only to a superuser; then the measurements are noisier.
  await pool.query('CHECKPOINT').catch(() => undefined);
}

/** Returns a function that reports the CPU seconds of the whole server; undefined for a server on another machine. */
export async function openServerClock(bench: Bench, { pool }: Database): Promise<(() => number) | undefined> {
  const { hostname } = new URL(bench.servers.databaseUrl.reveal());
  if (!canMeasure() || !['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return undefined;
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const backend = readParent(rows[0]?.pid ?? 0);
  // Processes in a container have other ids there than here.
  if (backend?.name !== 'postgres') return undefined;
  return () => cpuSecondsOfServer(backend.parent);
}

/** Milliseconds by which the database's clock is ahead of this machine's. */
export async function readClockLead({ pool }: Database): Promise<number> {
  const before = Date.now();
  const { rows } = await pool.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
  return Number(rows[0]?.ms) - (before + Date.now()) / 2;
}

export async function countRows({ pool }: Database, table: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`SELECT count(*) FROM ${table}`);
  return rows[0]?.count ?? 0;
}
