// A process that dies at a chosen event: from then on none of its statements reaches Postgres, its sockets are gone, and
// none of its calls reaches the service. What it does afterwards nobody sees.
import type { ClientBase } from 'pg';
import type { Pool } from '../../src/postgres/pool.ts';
import type { ScriptedService } from './scripted-service.ts';

export type Mortal = Readonly<{
  /** Every event up to its death: statements, by their first words, and calls. */
  events: string[];
  isDead: () => boolean;
}>;

/** Lets the owner of `pool` and `service` die just before event number `dieAt`, counted from 1, or that name; never when undefined. */
export function makeMortal(pool: Pool, service: ScriptedService, dieAt: number | string | undefined): Mortal {
  const events: string[] = [];
  const clients = new Set<ClientBase>();
  let isDead = false;
  const happen = (event: string): void => {
    if (isDead) return;
    events.push(event);
    if (events.length !== dieAt && event !== dieAt) return;
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

export type Sleepy = Readonly<{
  events: string[];
  /** Resolves when it has fallen asleep. */
  asleep: Promise<void>;
  wake: () => void;
}>;

/**
 * Lets the owner of `pool` and `service` fall asleep just before event number `sleepAt`, as a process that is suspended:
 * it keeps what it knows and its open transaction, and goes on there when it is woken. A COPY is no event.
 */
export function makeSleepy(pool: Pool, service: ScriptedService, sleepAt: number): Sleepy {
  const events: string[] = [];
  const sleep = createGate();
  const fallenAsleep = createGate();
  const happen = (event: string): Promise<void> | undefined => {
    events.push(event);
    if (events.length !== sleepAt) return undefined;
    fallenAsleep.open();
    return sleep.opened;
  };

  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    // The server ends the transaction of a process that sleeps for long; here long is short.
    query('SET idle_in_transaction_session_timeout = 200');
    Object.assign(client, {
      query(...args: unknown[]): unknown {
        if (typeof (args[0] as { submit?: unknown }).submit === 'function') return query(...args);
        const slept = happen(nameStatement(args[0]));
        return slept === undefined ? query(...args) : slept.then(() => query(...args));
      },
    });
  });
  service.beforeCall = happen;
  service.afterCall = (call) => happen(`${call} answered`);
  return { events, asleep: fallenAsleep.opened, wake: sleep.open };
}

function createGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function cut(client: ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

function nameStatement(query: unknown): string {
  const text = typeof query === 'string' ? query : ((query as { text?: string }).text ?? 'COPY');
  return text.replaceAll(/\s+/g, ' ').slice(0, 90);
}
