// Who reaches a database of a test, and when nobody does.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { createPool, type Pool } from '../../src/postgres/pool.ts';

/** The address of a database for another login. */
export function asLogin(url: string, login: string, password = 'test'): string {
  const address = new URL(url);
  [address.username, address.password] = [login, password];
  return address.href;
}

export type Login = Readonly<{ name: string; url: string; drop(): Promise<void> }>;

/** Makes a login with a role, for the database at `url`. Its name is no other's: logins are of the whole server. */
export async function createLogin(owner: Pool, url: string, role: string): Promise<Login> {
  const name = `${role}_${randomBytes(4).toString('hex')}`;
  await owner.query(`CREATE ROLE ${name} LOGIN PASSWORD 'test' IN ROLE ${role}`);
  return { name, url: asLogin(url, name), drop: async () => void (await owner.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`)) };
}

/** A pool of a test itself: unlike the product's, it waits for a connection as long as a busy machine takes. */
export function createTestPool(url: Secret, max: number): Pool {
  const pool = createPool(url, { applicationName: 'test', max });
  pool.options.connectionTimeoutMillis = 2 * 60_000;
  return pool;
}

/** A login for all tests of a file, from beforeAll on, with a pool of its own. */
export function useLogin(database: Readonly<{ pool: Pool; url: string }>, role: string): Login & Readonly<{ pool: Pool }> {
  const login = {} as Login & Readonly<{ pool: Pool }>;
  beforeAll(async () => {
    const made = await createLogin(database.pool, database.url, role);
    Object.assign(login, { ...made, pool: createTestPool(new Secret(made.url), 3) });
  });
  afterAll(async () => {
    await login.pool.end();
    await login.drop();
  });
  return login;
}

/** Ends all connections to a database, and lets nobody in while `work` runs, or until it calls `open`. */
export async function whileClosed(url: string, work: (open: () => Promise<unknown>) => Promise<unknown>): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const elsewhere = new URL(url);
  elsewhere.pathname = '/postgres';
  const administrator = new pg.Client({ connectionString: elsewhere.href, application_name: 'test administrator' });
  const open = (): Promise<unknown> => administrator.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
  await administrator.connect();
  try {
    await administrator.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    await administrator.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await work(open);
  } finally {
    await open();
    await administrator.end();
  }
}
