// Clients for the database in DATABASE_URL: which host they connect to, and how they use TLS. All sessions with the warehouse are opened
// through them.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { type DatabaseAddress, readDatabaseAddress, type Target, type Tls } from '../config/database-address.ts';
import { SECOND } from '../core/clock.ts';
import { describeError, isPassing, StoreError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { requireOwnSessions } from './pooler.ts';
import { type SessionSettings, setUpSession } from './session-settings.ts';
import { asStoreError } from './store-errors.ts';

export type Database = Readonly<{
  /** A class for pg's pools and for single clients. Its errors need no listener; connect throws StoreError when a TLS file is unreadable. */
  Client: new (
    config?: pg.ClientConfig,
  ) => pg.Client;
  /** Sets up a new session. Throws ConfigurationError behind a pooler that shares sessions; else what pg throws. */
  setUp(client: pg.ClientBase, settings: SessionSettings): Promise<void>;
}>;

/** A host that drops all packets must leave time for the others: a connection attempt has 10 s in total. */
const MAX_TRY_MS = 4 * SECOND;

export function databaseAt(url: Secret): Database {
  const address = readDatabaseAddress(url.reveal());
  class AddressedClient extends pg.Client {
    readonly #unreadable: unknown;

    constructor(config: pg.ClientConfig = {}) {
      // A pool constructs its clients where an exception would not reach the caller, so connect() throws it.
      let own: pg.ClientConfig = {};
      let unreadable: unknown;
      try {
        own = connectionOf(address);
      } catch (error) {
        unreadable = error;
      }
      super({ ...config, ...own });
      this.#unreadable = unreadable;
      // The server may end a session just when it becomes ready, before anybody listens. Its first statement then fails.
      this.on('error', () => undefined);
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | undefined {
      // pg's types do not declare the resolved value.
      const connected = this.#choose().then(() => super.connect() as Promise<unknown> as Promise<this>);
      if (!callback) return connected;
      connected.then(() => (callback as () => void)(), callback);
      return undefined;
    }

    async #choose(): Promise<void> {
      if (this.#unreadable) throw this.#unreadable;
      if (address.target !== 'any') Object.assign(this, await chooseHost(address));
    }
  }
  let asked: Promise<void> | undefined;
  return {
    Client: AddressedClient,
    async setUp(client, settings) {
      // Checked once, because sharing sessions is a setting of the pooler. A failed check is repeated.
      asked ??= requireOwnSessions(client, AddressedClient).catch((error: unknown) => {
        asked = undefined;
        throw error;
      });
      await asked;
      await setUpSession(client, settings);
    },
  };
}

function connectionOf({ hosts, tls }: DatabaseAddress, at = 0): pg.ClientConfig {
  return { connectionString: hosts[at]?.url, ...(tls !== undefined && { ssl: tls && tlsOptions(tls) }) };
}

function tlsOptions({ files, password }: Tls): NonNullable<pg.ClientConfig['ssl']> {
  // Read for every connection, because certificates are renewed.
  const {
    sslrootcert: ca,
    sslcert: cert,
    sslkey: key,
    sslcrl: crl,
  } = Object.fromEntries(Object.entries(files).map(([name, path]) => [name, readTlsFile(name, path)]));
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(crl !== undefined && { crl }),
    ...(password !== undefined && { passphrase: password }),
  };
}

function readTlsFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new StoreError(`the file that ${name} in DATABASE_URL names cannot be read (${code}); name one that is there`, {
      retryable: true,
    });
  }
}

type State = Readonly<{ isStandby: boolean; isReadOnly: boolean }>;

/** Why a server does not meet the target; undefined when it does. */
const UNFIT: Readonly<Record<Target, (state: State) => string | undefined>> = {
  any: () => undefined,
  'read-write': ({ isReadOnly }) => (isReadOnly ? 'is read-only' : undefined),
  'read-only': ({ isReadOnly }) => (isReadOnly ? undefined : 'takes changes'),
  primary: ({ isStandby }) => (isStandby ? 'is a standby' : undefined),
  standby: ({ isStandby }) => (isStandby ? undefined : 'is the primary'),
};

/** The first host in the list that meets the target. All are tried at once, so an unreachable host costs only its own timeout. */
async function chooseHost(address: DatabaseAddress): Promise<{ host: string; port: number }> {
  const tries = address.hosts.map((_, at) => tryHost(address, at));
  for (const each of tries) each.catch(() => undefined);
  const failures: unknown[] = [];
  for (const each of tries) {
    try {
      return await each;
    } catch (error) {
      failures.push(error);
    }
  }
  const why = failures.map((failure, at) => `${address.hosts[at]?.name}: ${describeError(failure)}`).join('; ');
  throw new StoreError(`no host of DATABASE_URL is as target_session_attrs=${address.target} wants it (${why})`, {
    retryable: failures.some(isPassing),
  });
}

async function tryHost(address: DatabaseAddress, at: number): Promise<{ host: string; port: number }> {
  const limits = { connectionTimeoutMillis: MAX_TRY_MS, query_timeout: MAX_TRY_MS, application_name: 'searchmill' };
  try {
    const client = new pg.Client({ ...limits, ...connectionOf(address, at) });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<State>(
        `SELECT pg_catalog.pg_is_in_recovery() AS "isStandby", pg_catalog.current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
      );
      const unfit = rows[0] && UNFIT[address.target](rows[0]);
      if (unfit) throw new StoreError(`it ${unfit}`, { retryable: true });
      return { host: client.host, port: client.port };
    } finally {
      client.end().catch(() => undefined);
    }
  } catch (error) {
    throw asStoreError(error);
  }
}
