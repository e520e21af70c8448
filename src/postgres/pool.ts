// Connections to the warehouse. Both ends of every session notice within seconds that the other has vanished, so a lock or a half-open
// connection does not outlive its owner for long.
//
// A network can also drop everything that is sent and still acknowledge it, so that TCP notices nothing. In the worst case a statement
// outside a transaction is given up after 20 s (statements.ts), and all idle connections are closed with it. A transaction is cut after
// 30 s (session-watch.ts). A lease that could not be released ends within 20 s, and the reconciler rings within 5 s. Both sums,
// 20 + 20 + 5 and 30 + 20 + 5, are below a minute.
//
// After a failover the address leads to another server, and the old one may still answer. So no connection is kept for long.
import pg from 'pg';
import { MINUTE, SECOND } from '../core/clock.ts';
import { closing } from '../core/closing.ts';
import type { Secret } from '../core/secret.ts';
import { databaseAt } from './database-clients.ts';
import type { SessionSettings } from './session-settings.ts';
import { VALUE_TYPES } from './value-types.ts';

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

/** An older connection is closed once it is idle; the next one goes wherever the address leads by then. */
export const MAX_CONNECTION_LIFE_MS = MINUTE;

export type PoolOptions = Readonly<{
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Maximum connections. */
  max?: number;
  /** Session settings in addition to the common ones (session-settings.ts). */
  settings?: SessionSettings;
  /** Called for an idle connection that broke; the pool replaces it by itself. */
  onError?: (error: Error) => void;
}>;

/**
 * A pool on `url`; `await using` ends it. Connections are opened on demand, so this never throws for an unreachable server.
 */
export function createPool(url: Secret, options: PoolOptions): Pool & AsyncDisposable {
  const { Client, setUp } = databaseAt(url);
  const pool = new pg.Pool({
    Client,
    application_name: options.applicationName,
    max: options.max ?? 10,
    connectionTimeoutMillis: 10 * SECOND,
    idleTimeoutMillis: 30 * SECOND,
    maxLifetimeSeconds: MAX_CONNECTION_LIFE_MS / SECOND,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * SECOND,
    types: VALUE_TYPES,
    onConnect: (client) => setUp(client, { application_name: options.applicationName, ...options.settings }),
  });
  pool.on('error', options.onError ?? (() => undefined));
  dropIdleAfterSilence(pool);
  return closing(pool, () => pool.end());
}

/**
 * Closes all idle connections after a statement timed out without an answer: the network has most likely cut them off, too, and each would
 * make a caller wait as long.
 */
export function dropIdleAfterSilence(pool: Pool): void {
  // The pool's types lack this event; its argument is the error the connection was released with.
  (pool as NodeJS.EventEmitter).on('release', (error: unknown) => {
    if (!(error instanceof Error && error.message === SILENCE)) return;
    for (let left = pool.idleCount; left > 0; left -= 1) {
      pool.connect().then(
        (client) => client.release(true),
        () => undefined,
      );
    }
  });
}

/** The message of node-postgres when `query_timeout` expires. */
const SILENCE = 'Query read timeout';
