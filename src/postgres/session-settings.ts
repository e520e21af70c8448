// Settings that every session relies on, whatever is set for the role, the database, in PGOPTIONS or in the address. They are set after
// connecting: poolers drop start-up options, and options of the address would replace ours.
// default_transaction_read_only is left alone: an operator, or a provider whose disk is nearly full, uses it to forbid writing.
import type pg from 'pg';
import { SECOND } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';

export type SessionSettings = Readonly<Record<string, string>>;

export const SESSION_SETTINGS: SessionSettings = {
  // The server cancels the running statement of a killed worker and releases its locks.
  client_connection_check_interval: '5000',
  // The server notices a client whose network went away; pg's keepAlive does the same in the other direction.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // Our transactions wait only for the database. An idle one belongs to a suspended process or a dead network, and would keep its
  // execution's row locked. A session that waits for rows of a COPY is not idle; the sessions that wait for its locks end it
  // (session-watch.ts).
  idle_in_transaction_session_timeout: '25000',
  // statements.ts and transaction.ts decide how long work may take: a publish may take longer than a query.
  idle_session_timeout: '0',
  lock_timeout: '0',
  statement_timeout: '0',
  transaction_timeout: '0',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  // Every name in our SQL is qualified with its schema.
  search_path: 'pg_catalog',
  // Values travel to the server and back as text.
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  array_nulls: 'on',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  extra_float_digits: '1',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
  // Rows hidden by a policy would look missing, so this is an error instead; for sessions that only read, rows may be hidden.
  row_security: 'off',
  // On a fresh ledger, compiling a statement took seconds, and running it milliseconds.
  jit: 'off',
  // With Citus, a comparison transfers the rows of an account's slice to the coordinator, however many; the default limit is 1 GB.
  'citus.max_intermediate_result_size': '-1',
};

/** Setting up a session waits for nothing, so a session that does not answer is dead. */
const AT_ONCE = { query_timeout: 10 * SECOND };

// Settings that a server does not know are skipped: transaction_timeout came with Postgres 17. synchronous_commit is changed only if it is
// off: then a crash would lose calls, leases and submits. How far a commit waits for standbys is the operator's choice.
// session_replication_role is changed only if it is not origin, because few roles may set it.
const SET_UP = `
SELECT pg_catalog.set_config(name, value, false)
  FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.text[])) AS wanted (name, value)
 WHERE pg_catalog.current_setting(name, true) IS NOT NULL
   AND (name OPERATOR(pg_catalog.<>) 'synchronous_commit' OR pg_catalog.current_setting(name) OPERATOR(pg_catalog.=) 'off')
   AND (name OPERATOR(pg_catalog.<>) 'session_replication_role' OR pg_catalog.current_setting(name) OPERATOR(pg_catalog.<>) 'origin')`;

const TRIGGERS_OFF =
  'session_replication_role is not origin for the role or database of DATABASE_URL, which turns foreign keys and triggers off; take it back by ALTER ROLE or ALTER DATABASE ... RESET session_replication_role';

/** Sets up a new session before its first use. `own` overrides the common settings. Throws what pg throws. */
export async function setUpSession(client: pg.ClientBase, own: SessionSettings = {}): Promise<void> {
  const settings = { ...SESSION_SETTINGS, synchronous_commit: 'on', session_replication_role: 'origin', ...own };
  try {
    await set(client, settings);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (code === '42501' && message.includes('session_replication_role')) throw new ConfigurationError(TRIGGERS_OFF, { cause: error });
    // Postgres 14 refuses client_connection_check_interval on systems that cannot detect a vanished client.
    if (code !== '22023') throw error;
    await set(client, { ...settings, client_connection_check_interval: '0' });
  }
}

async function set(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  await client.query({ text: SET_UP, values: [Object.keys(settings), Object.values(settings)], ...AT_ONCE });
}
