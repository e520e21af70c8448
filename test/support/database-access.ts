// Who reaches a database of a test, and when nobody does.
import pg from 'pg';

/** The address of a database for another login. */
export function asLogin(url: string, login: string, password = 'test'): string {
  const address = new URL(url);
  [address.username, address.password] = [login, password];
  return address.href;
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
