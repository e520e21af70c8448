// Connections to the warehouse. Every session notices a vanished client or server within seconds, so that a lock or a
// half-open connection never outlives its owner for long.
import pg from 'pg';
import { SECOND } from '../core/clock.ts';
import type { Secret } from '../core/secret.ts';

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

const { builtins } = pg.types;

/** Dates stay `YYYY-MM-DD` text (no time zone can shift them); int8 identifiers and counts become numbers. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (format !== 'binary' && oid === builtins.DATE) return (text: string) => text;
    if (format !== 'binary' && oid === builtins.INT8) return parseCount;
    return pg.types.getTypeParser(oid, format);
  },
};

function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`an int8 of the ledger is beyond 2^53: ${text}`);
  return value;
}

// client_connection_check_interval: a killed worker's running statement is cancelled, its locks are released.
// tcp_*: the server notices a client whose network went away; pg's keepAlive does the same the other way round.
const SESSION_SETTINGS = [
  'client_connection_check_interval=5000',
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'idle_in_transaction_session_timeout=60000',
  'TimeZone=UTC',
  'DateStyle=ISO',
];

export type PoolOptions = Readonly<{
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Most connections at once. */
  max?: number;
  /** Called for an idle connection that broke; the pool replaces it by itself. */
  onError?: (error: Error) => void;
}>;

/** A pool on `url`. Connections are made when first needed, so this never throws for an unreachable server. */
export function createPool(url: Secret, options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url.reveal(),
    application_name: options.applicationName,
    max: options.max ?? 10,
    connectionTimeoutMillis: 10 * SECOND,
    idleTimeoutMillis: 30 * SECOND,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * SECOND,
    options: SESSION_SETTINGS.map((setting) => `-c ${setting}`).join(' '),
    types,
  });
  pool.on('error', options.onError ?? (() => undefined));
  return pool;
}
