// The service clients of a process, by connection name. A new configuration replaces the clients whose connection changed.
import type { BufferPool } from '../codec/buffer-pool.ts';
import { isSameConnection } from '../config/compare-configs.ts';
import type { Connection } from '../config/settings.ts';
import { type Clock, type Random, systemClock } from '../core/clock.ts';
import type { Proxies } from '../egress/route.ts';
import { createCallLog, registerConnections } from '../ledger/call-log.ts';
import type { Pool } from '../postgres/pool.ts';
import type { CallObserver } from '../service/call-service.ts';
import { createServiceClient, type ServiceClient } from '../service/client.ts';
import { createLimiters, SUBMITS_AT_ONCE } from '../service/limiters.ts';
import { DEFAULT_CONCURRENCY } from './workers.ts';

/** Options of a process; its clients use the parts they need. */
export type ClientsOptions = Readonly<{
  /** The warehouse; owned by the caller. */
  pool: Pool;
  proxies: Proxies;
  clock?: Clock;
  random?: Random;
  /** Maximum steps of one connection at once. */
  concurrency?: number;
  callObserver?: (connection: string) => CallObserver;
}>;

export class ServiceClients {
  readonly #options: ClientsOptions;
  readonly #buffers: BufferPool;
  readonly #clients = new Map<string, ServiceClient>();
  /** Replaced clients; loads in progress still use them. */
  readonly #retired: ServiceClient[] = [];
  #connections: ReadonlyMap<string, Connection> = new Map();

  /** `buffers`: memory shared by all answers. */
  constructor(options: ClientsOptions, buffers: BufferPool) {
    this.#buffers = buffers;
    this.#options = options;
  }

  find(connection: string): ServiceClient | undefined {
    return this.#clients.get(connection);
  }

  /**
   * Registers connections in the ledger; from then on `find` returns clients for these only. Throws StoreError, or ConfigurationError for a
   * credential that cannot be sent; then the clients are unchanged.
   */
  async configure(connections: ReadonlyMap<string, Connection>): Promise<void> {
    const { pool, proxies, clock = systemClock, random, concurrency = DEFAULT_CONCURRENCY, callObserver } = this.#options;
    const all = [...connections.values()];
    const nameBudget = await registerConnections(pool, all);
    const limiters = createLimiters({
      budgetOf: (connection) => createCallLog(pool, nameBudget(connection), random),
      clock,
      // A step reads one answer at a time, so no step waits for another's.
      maxConcurrent: { submit: SUBMITS_AT_ONCE, read: 2 * concurrency },
      countSharing: (budgetId) => all.filter((connection) => connection.budgetId === budgetId).length,
    });
    const opened = new Map<string, ServiceClient>();
    for (const connection of all.filter((each) => !isSameConnection(this.#connections.get(each.name), each))) {
      const limiter = limiters.limiterFor(connection);
      const observer = callObserver?.(connection.name);
      opened.set(connection.name, createServiceClient({ connection, limiter, clock, observer, proxies, buffers: this.#buffers }));
    }
    for (const [name, client] of this.#clients) {
      if (connections.has(name) && !opened.has(name)) continue;
      this.#retired.push(client);
      this.#clients.delete(name);
    }
    for (const [name, client] of opened) this.#clients.set(name, client);
    this.#connections = connections;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#clients.values(), ...this.#retired].map((client) => client.close()));
  }
}
