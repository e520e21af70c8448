// Settings that every session relies on, whatever is set for the role, the database, in PGOPTIONS or in the address. They are set after
// connecting: poolers drop start-up options, and those of an address would replace ours.
// default_transaction_read_only is left alone: an operator, or a provider whose disk is nearly full, forbids writing with it.
import type pg from 'pg';
import { SECOND } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';

export type SessionSettings = Readonly<Record<string, string>>;

export const SESSION_SETTINGS: SessionSettings = {
  // A killed worker's running statement is cancelled, its locks are released.
  client_connection_check_interval: '5000',
  // The server notices a client whose network went away; pg's keepAlive does the same the other way round.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // Our transactions wait for nothing but the database. An idle one belongs to a suspended process or a dead network, and would
  // keep its execution's row locked. One that waits for rows of a COPY is not idle: sessions that wait for its locks end it
  // (session-watch.ts).
  idle_in_transaction_session_timeout: '25000',
  // statements.ts and transaction.ts decide how long work may take: a publish may take longer than a query.
  idle_session_timeout: '0',
  lock_timeout: '0',
  statement_timeout: '0',
  transaction_timeout: '0',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  // Every name in our SQL says its schema.
  search_path: 'pg_catalog',
  // Values go to the server and come back as text.
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  array_nulls: 'on',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  extra_float_digits: '1',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
  // What a policy hides would be taken for missing. So it is an error instead; sessions that only read may have rows hidden.
  row_security: 'off',
  // On a fresh ledger compiling a statement took seconds, and running it milliseconds.
  jit: 'off',
  // With Citus a comparison brings the rows of an account's slice to the coordinator, however many they are; its default ends at 1 GB.
  'citus.max_intermediate_result_size': '-1',
};

/** Nothing that sets a session up waits for anything. */
const AT_ONCE = { query_timeout: 10 * SECOND };

// Settings that a server does not know are left out: transaction_timeout came with Postgres 17. synchronous_commit is changed only
// where it is off: a crash would forget calls, leases and submits. How far a commit waits for standbys is the operator's choice.
// session_replication_role is changed only where it is not origin, since few may.
const SET_UP = `
SELECT pg_catalog.set_config(name, value, false)
  FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.text[])) AS wanted (name, value)
 WHERE pg_catalog.current_setting(name, true) IS NOT NULL
   AND (name OPERATOR(pg_catalog.<>) 'synchronous_commit' OR pg_catalog.current_setting(name) OPERATOR(pg_catalog.=) 'off')
   AND (name OPERATOR(pg_catalog.<>) 'session_replication_role' OR pg_catalog.current_setting(name) OPERATOR(pg_catalog.<>) 'origin')`;

const TRIGGERS_OFF =
  'session_replication_role is not origin for the role or database of DATABASE_URL, which turns foreign keys and triggers off; take it back by ALTER ROLE or ALTER DATABASE ... RESET session_replication_role';

/** Sets a new session up, before its first use. `own` comes on top. Throws what pg throws. */
export async function setUpSession(client: pg.ClientBase, own: SessionSettings = {}): Promise<void> {
  const settings = { ...SESSION_SETTINGS, synchronous_commit: 'on', session_replication_role: 'origin', ...own };
  try {
    await set(client, settings);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (code === '42501' && message.includes('session_replication_role')) throw new ConfigurationError(TRIGGERS_OFF, { cause: error });
    // Postgres 14 refuses client_connection_check_interval on systems that cannot tell that a client has gone.
    if (code !== '22023') throw error;
    await set(client, { ...settings, client_connection_check_interval: '0' });
  }
}

async function set(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  await client.query({ text: SET_UP, values: [Object.keys(settings), Object.values(settings)], ...AT_ONCE });
}
