// SQL lives in src/<folder>/sql, one file per table, from which each statement can be run in psql. Code calls it by its name. Values are named parameters
// (`:executionId`). Identifiers that depend on a dataset or an execution are placeholders in braces, filled from the registry; values are
// placeholders only where Postgres takes no parameter, as literals escaped by pg.
import pg, { type QueryResult, type QueryResultRow } from 'pg';
import { SECOND } from '../core/clock.ts';
import { type CompiledStatement, compileStatement } from './named-parameters.ts';
import type { Pool } from './pool.ts';
import { readStatements } from './statement-files.ts';
import type { StatementParameters } from './statement-parameters.ts';
import type { StatementResults } from './statement-results.ts';
import { asStoreError } from './store-errors.ts';

type Name = keyof StatementParameters;
type Given<Names extends string> = Readonly<Record<Names, unknown>>;
type ValuesOf<N extends Name> = StatementParameters[N] extends { parameters: infer Names extends string } ? [values: Given<Names>] : [];
/** Values of a statement's placeholders. */
export type FragmentsOf<N extends Name> = StatementParameters[N] extends { placeholders: infer Names extends string }
  ? Readonly<Record<Names, string>>
  : never;

/** Names of statements without placeholders. */
type PlainName = { [N in Name]: [FragmentsOf<N>] extends [never] ? N : never }[Name];
/** Names of statements with placeholders. */
type TemplateName = Exclude<Name, PlainName>;
/** A statement's name and a value for each of its parameters. A missing or extra value does not compile. */
type Statement = { [N in PlainName]: [name: N, ...ValuesOf<N>] }[PlainName];
/** The same for a statement with placeholders. */
type Template = { [N in TemplateName]: [name: N, fragments: FragmentsOf<N>, ...ValuesOf<N>] }[TemplateName];

/** A row of a statement, as described by a migrated database. */
export type RowOf<N extends Name> = N extends keyof StatementResults ? StatementResults[N] : Readonly<Record<string, unknown>>;
/** The same, with the columns whose content the database cannot describe: JSON, and texts with few values. */
export type DescribedRow<N extends Name, Described extends Partial<Record<keyof RowOf<N>, unknown>> = object> = Readonly<
  Omit<RowOf<N>, keyof Described> & Described
>;
/** Columns of `R` that a row lacks, or has with another type or as NULL. Only `R` knows the shape of JSON and the values of a text. */
type MisfitsOf<R, Row> = keyof {
  [K in keyof R as string extends K
    ? never
    : K extends keyof Row
      ? IsOf<R[K], Row[K]> extends true
        ? never
        : K
      : undefined extends R[K]
        ? never
        : K]: never;
};
/** Whether a column of type `T` may be read as `V`, which may be wider, or narrower except for NULL. */
type IsOf<V, T> = [T] extends [V]
  ? true
  : unknown extends T
    ? true
    : [V] extends [T]
      ? null extends V
        ? true
        : null extends T
          ? false
          : true
      : false;
/** Values of a statement whose row is read as `R`. If the compiler asks for `notOfTheRow`, it names the columns of `R` that do not fit. */
type ValuesFor<N extends Name, R> = [MisfitsOf<R, RowOf<N>>] extends [never]
  ? ValuesOf<N>
  : [values: { notOfTheRow: MisfitsOf<R, RowOf<N>> }];

type Query = { text: string; values: unknown[] };

/** Planning takes as long as running a statement that is sent for every page, so each session prepares it once. */
type Loaded = CompiledStatement & { isPlannedOnce: boolean };

let compiled: ReadonlyMap<string, Loaded> | undefined;

function load(name: string): Loaded {
  compiled ??= new Map(
    [...readStatements()].map(([each, text]) => [each, { ...compileStatement(text), isPlannedOnce: /^-- Planned once\.$/m.test(text) }]),
  );
  const known = compiled.get(name);
  if (!known) throw new Error(`No file of sql/ has the statement ${name}`);
  return known;
}

/** The statement with its values, for pg. Throws when a parameter has no value, or a value has no parameter. */
export function statement(...[name, values]: Statement): Query {
  return compose(name, {}, values);
}

/** The same with `{placeholders}` filled in. */
export function template(...[name, fragments, values]: Template): Query {
  return compose(name, fragments, values);
}

function compose(name: string, fragments: Readonly<Record<string, string>>, values: Given<string> = {}): Query {
  const { text, parameters, placeholders } = load(name);
  requireSame(name, '{}', placeholders, Object.keys(fragments));
  requireSame(name, ':', parameters, Object.keys(values));
  return {
    text: text.replaceAll(/\{(\w+)\}/g, (_, placeholder: string) => fragments[placeholder] ?? ''),
    values: parameters.map((parameter) => values[parameter]),
  };
}

function requireSame(name: string, kind: ':' | '{}', wanted: readonly string[], given: readonly string[]): void {
  const show = (names: readonly string[]): string => names.map((each) => (kind === ':' ? `:${each}` : `{${each}}`)).join(', ');
  const missing = wanted.filter((each) => !given.includes(each));
  if (missing.length > 0) throw new Error(`${name}: nothing given for ${show(missing)}`);
  const unknown = given.filter((each) => !wanted.includes(each));
  if (unknown.length > 0) throw new Error(`${name} has no ${show(unknown)}`);
}

/** Timeout of a statement outside a transaction; inside one, the transaction's limits apply. */
const STATEMENT_TIMEOUT_MS = 20 * SECOND;

/** Runs a statement. Throws StoreError. */
export async function execute<N extends PlainName, R = RowOf<N>>(
  db: Pool | pg.ClientBase,
  name: N,
  ...[values]: ValuesFor<N, R>
): Promise<QueryResult<R & QueryResultRow>> {
  return send(db, { ...compose(name, {}, values), ...(load(name).isPlannedOnce ? { name: `searchmill ${name}` } : {}) });
}

/** The rows of a statement, as its header describes them. Throws StoreError. */
export async function readRows<N extends PlainName, R = RowOf<N>>(
  db: Pool | pg.ClientBase,
  name: N,
  ...values: ValuesFor<N, R>
): Promise<R[]> {
  return (await execute<N, R>(db, name, ...values)).rows;
}

/** Runs a statement with its placeholders filled in. Throws StoreError. */
export async function executeTemplate<N extends TemplateName, R = RowOf<N>>(
  db: Pool | pg.ClientBase,
  name: N,
  fragments: FragmentsOf<N>,
  ...[values]: ValuesFor<N, R>
): Promise<QueryResult<R & QueryResultRow>> {
  return send(db, compose(name, fragments, values));
}

async function send<R extends QueryResultRow>(db: Pool | pg.ClientBase, query: Query & { name?: string }): Promise<QueryResult<R>> {
  const limits = db instanceof pg.Pool ? { query_timeout: STATEMENT_TIMEOUT_MS } : {};
  try {
    return await db.query<R>({ ...query, ...limits });
  } catch (error) {
    throw asStoreError(error);
  }
}
