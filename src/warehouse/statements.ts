// SQL lives in sql/, one statement per file, so that each can be read, explained and run in psql. Identifiers that
// depend on a dataset or an execution stand in braces and are filled from the registry; values only where no parameter can
// stand, as literals that pg has escaped.
import { readFileSync } from 'node:fs';
import pg, { type QueryResult, type QueryResultRow } from 'pg';
import { SECOND } from '../core/clock.ts';
import type { Client, Pool } from './pool.ts';
import { asStoreError } from './store-errors.ts';

const loaded = new Map<string, string>();

/** The text of `sql/<name>.sql`, without its comments. */
export function statement(name: string): string {
  let text = loaded.get(name);
  if (text === undefined) {
    text = readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), 'utf8')
      .replaceAll(/^--.*\n/gm, '')
      .trim();
    loaded.set(name, text);
  }
  return text;
}

/** The same with `{placeholders}` filled. Throws when one has no value, or a value is not used. */
export function template(name: string, fragments: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(fragments));
  const text = statement(name).replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    unused.delete(key);
    const fragment = fragments[key];
    if (fragment === undefined) throw new Error(`sql/${name}.sql: nothing given for {${key}}`);
    return fragment;
  });
  if (unused.size > 0) throw new Error(`sql/${name}.sql has no {${[...unused].join('}, {')}}`);
  return text;
}

/** Double-quotes an identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** What is sent for every page, whose planning takes as long as running it: each session plans it once. */
const PLANNED_ONCE: ReadonlySet<string> = new Set(['take-grants', 'checkpoint']);

/** A statement outside a transaction is given up after this; inside one, the transaction decides. */
const STATEMENT_TIMEOUT_MS = 20 * SECOND;

/** Runs `sql/<name>.sql`. Throws StoreError. */
export async function execute<R extends QueryResultRow = QueryResultRow>(
  db: Pool | Client,
  name: string,
  values: readonly unknown[] = [],
): Promise<QueryResult<R>> {
  return send<R>(db, statement(name), values, PLANNED_ONCE.has(name) ? `searchmill ${name}` : undefined);
}

/** Runs `sql/<name>.sql` with its placeholders filled. Throws StoreError. */
export async function executeTemplate<R extends QueryResultRow = QueryResultRow>(
  db: Pool | Client,
  name: string,
  fragments: Readonly<Record<string, string>>,
  values: readonly unknown[] = [],
): Promise<QueryResult<R>> {
  return send<R>(db, template(name, fragments), values);
}

async function send<R extends QueryResultRow>(
  db: Pool | Client,
  text: string,
  values: readonly unknown[],
  name?: string,
): Promise<QueryResult<R>> {
  const limits = db instanceof pg.Pool ? { query_timeout: STATEMENT_TIMEOUT_MS } : {};
  try {
    return await db.query<R>({ text, values: [...values], ...(name === undefined ? {} : { name }), ...limits });
  } catch (error) {
    throw asStoreError(error);
  }
}
