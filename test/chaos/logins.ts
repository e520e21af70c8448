// The logins of the service, one after another: each is a member of searchmill_writer and owns nothing, so it can be dropped when the next
// one is used.
import pg from 'pg';

export class Logins {
  readonly #url: string;
  readonly #complain: (complaint: string) => void;
  #number = 0;
  /** The address that processes are started with from now on. */
  address: string;

  /** `url`: of an administrator, past every proxy. `address`: of the service's first login. */
  constructor(url: string, address: string, complain: (complaint: string) => void) {
    this.#url = url;
    this.address = address;
    this.#complain = complain;
  }

  /** Makes the next login. Returns the name of the last one; undefined for the first, which is the administrator's. */
  async replace(): Promise<string | undefined> {
    const last = this.#nameOf(this.#number);
    this.#number += 1;
    const name = this.#nameOf(this.#number) ?? '';
    await this.#ask([`CREATE ROLE ${name} LOGIN PASSWORD 'chaos' IN ROLE searchmill_writer`]);
    const address = new URL(this.address);
    [address.username, address.password] = [name, 'chaos'];
    this.address = address.href;
    return last;
  }

  /** Ends what is left of a login, and drops it. */
  async drop(name: string): Promise<void> {
    try {
      await this.#ask([
        `ALTER ROLE ${name} NOLOGIN`,
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '${name}'`,
        `DROP ROLE ${name}`,
      ]);
    } catch (error) {
      // What this login owns would be lost to the next one. Postgres may be away.
      if ((error as { code?: unknown }).code !== '2BP01') throw error;
      this.#complain(`the login ${name} owns something: ${(error as { detail?: string }).detail}`);
    }
  }

  #nameOf(number: number): string | undefined {
    return number === 0 ? undefined : `chaos_login_${number}`;
  }

  async #ask(statements: readonly string[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      for (const statement of ['SET default_transaction_read_only = off', ...statements]) await client.query(statement);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
