// A process that dies at a chosen event: from then on none of its statements reaches Postgres, its sockets are gone, and
// none of its calls reaches the service. What it does afterwards nobody sees.
import type { ClientBase } from 'pg';
import type { Pool } from '../../src/warehouse/pool.ts';
import type { ScriptedService } from './scripted-service.ts';

export type Mortal = Readonly<{
  /** Every event up to its death: statements, by their first words, and calls. */
  events: string[];
  isDead: () => boolean;
}>;

/** Lets the owner of `pool` and `service` die just before event number `dieAt`, counted from 1; never when undefined. */
export function makeMortal(pool: Pool, service: ScriptedService, dieAt: number | undefined): Mortal {
  const events: string[] = [];
  const clients = new Set<ClientBase>();
  let isDead = false;
  const happen = (event: string): void => {
    if (isDead) return;
    events.push(event);
    if (events.length !== dieAt) return;
    isDead = true;
    for (const client of clients) cut(client);
  };

  pool.on('connect', (client) => {
    clients.add(client);
    client.on('error', () => undefined);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query(...args: unknown[]): unknown {
        happen(nameStatement(args[0]));
        if (isDead) cut(client);
        return query(...args);
      },
    });
  });
  const connect = pool.connect.bind(pool);
  Object.assign(pool, {
    // Called with a callback by the pool itself.
    connect: (callback?: (error: Error) => void) => {
      if (!isDead) return (connect as (callback?: unknown) => unknown)(callback);
      const error = new Error('Connection terminated: the process is dead');
      return callback ? callback(error) : Promise.reject(error);
    },
  });
  const pass = (call: string): void => {
    happen(call);
    if (isDead) throw new Error('the process is dead');
  };
  service.beforeCall = pass;
  service.afterCall = (call) => pass(`${call} answered`);
  return { events, isDead: () => isDead };
}

function cut(client: ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

function nameStatement(query: unknown): string {
  const text = typeof query === 'string' ? query : ((query as { text?: string }).text ?? 'COPY');
  return text.replaceAll(/\s+/g, ' ').slice(0, 90);
}
