// Runs panels: all panels of a board in one read-only snapshot transaction, so that no two panels disagree.
// Variables are passed as parameters, never inserted into the SQL text.
import type { CustomTypesConfig, QueryArrayConfig } from 'pg';
import { SECOND } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { compileStatement } from '../postgres/named-parameters.ts';
import { type Client, createPool, type Pool } from '../postgres/pool.ts';
import { asStoreError } from '../postgres/store-errors.ts';
import { inSavepoint, inTransaction } from '../postgres/transaction.ts';
import { type Column, kindOf, type Row, type Rows } from './cells.ts';
import { cuttingStatement, markCuts } from './cut-texts.ts';
import type { Panel } from './panel-file.ts';
import type { Values, VariableName } from './variables.ts';

export type PanelResult = Rows & Readonly<{ isCut: boolean }>;
/** Why a panel has no result. */
export type PanelFailure = Readonly<{ failure: string }>;

/** Transactions use at most three quarters of the pool, so one connection is left for single statements. */
export const PAGES_CONNECTIONS = 3;
/** A panel takes at most 0.3 s over 50 million rows. One that takes this long would block others. */
const STATEMENT_TIMEOUT_MS = 15 * SECOND;
/** Most rows of a panel on a page; the CSV has all. */
const PAGE_ROWS = 2_000;
const ROWS_PER_FETCH = 2_000;
/** Rows of the first batch, from which the size of rows is known; a row may have megabytes. */
const FIRST_ROWS = 8;
/** What a batch is meant to have, and the average of a row up to which all rows of a page are shown. */
const CHARACTERS_PER_FETCH = 1_000_000;
const CHARACTERS_PER_ROW = 1_000;
const DECLARE = 'DECLARE searchmill_panel NO SCROLL CURSOR FOR';

/** Creates a pool for panels. Its sessions are read-only whatever the role, with a time limit of 15 s per statement. */
export function createPanelPool(databaseUrl: Secret, { max = PAGES_CONNECTIONS }: { max?: number } = {}): Pool {
  return createPool(databaseUrl, {
    applicationName: 'searchmill dashboards',
    max,
    settings: {
      default_transaction_read_only: 'on',
      // A login may be limited to the rows of one account.
      row_security: 'on',
      statement_timeout: String(STATEMENT_TIMEOUT_MS),
      // Panels are read by cursors, usually to their end.
      cursor_tuple_fraction: '1',
      // JIT compilation would take longer than these statements. 16 MB are enough to group the sites of a year in memory.
      jit: 'off',
      work_mem: '16MB',
    },
  });
}

/** Runs `work` in a read-only snapshot transaction. Throws what `work` throws, StoreError, or the signal's reason. */
export function inSnapshot<T>(pool: Pool, work: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
  return inTransaction(pool, work, { isSnapshot: true, isReadOnly: true, signal });
}

/**
 * The first `maxRows` rows of a panel, or fewer if their texts are long; texts are cut. If its statement fails, it is rolled back to a
 * savepoint and a failure is returned; the transaction continues. Throws when the connection fails.
 */
export async function runPanel(
  client: Client,
  panel: Pick<Panel, 'sql'>,
  values: Values,
  maxRows: number = PAGE_ROWS,
): Promise<PanelResult | PanelFailure> {
  let failure: unknown;
  const result = await inSavepoint(
    client,
    async () => readFirst(client, panel, values, maxRows),
    (error) => {
      failure = error;
      return hasStatementFailed(error);
    },
  );
  return result ?? { failure: describeError(asStoreError(failure)) };
}

async function readFirst(client: Client, panel: Pick<Panel, 'sql'>, values: Values, maxRows: number): Promise<PanelResult> {
  const found: Row[] = [];
  let columns: Rows['columns'] = [];
  let characters = 0;
  for await (const read of readRows(client, panel, values, { rowsPerFetch: maxRows + 1, areTextsCut: true })) {
    columns = read.columns;
    for (const row of read.rows) {
      characters += countCharacters(row);
      if (found.length === maxRows || (found.length > 0 && characters > maxRows * CHARACTERS_PER_ROW)) {
        return { columns, rows: found, isCut: true };
      }
      found.push(row);
    }
  }
  return { columns, rows: found, isCut: false };
}

/** Whether only the statement failed: the server reported an error and the connection still works. */
function hasStatementFailed(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return severity === 'ERROR' && typeof code === 'string' && !code.startsWith('57P');
}

const types = { getTypeParser: () => (text: string) => text } as unknown as CustomTypesConfig;

type ReadOptions = Readonly<{ rowsPerFetch?: number; areTextsCut?: boolean }>;

/**
 * Yields all rows of a statement in batches, by a cursor that is closed when the caller stops. A batch has as many rows as make
 * CHARACTERS_PER_FETCH, judging by those before it. Throws what pg throws.
 */
export async function* readRows(
  client: Client,
  { sql }: Pick<Panel, 'sql'>,
  values: Values,
  { rowsPerFetch = ROWS_PER_FETCH, areTextsCut = false }: ReadOptions = {},
): AsyncGenerator<Rows> {
  const { text, parameters } = compileStatement(sql);
  const given = parameters.map((name) => values[name as VariableName] ?? null);
  const own = areTextsCut ? await describeColumns(client, text, given) : undefined;
  const cutting = own && cuttingStatement(text, own);
  const declare = `${DECLARE} ${cutting ?? text}`;
  await client.query({ text: declare, values: given });
  try {
    for (let rowCount = Math.min(FIRST_ROWS, rowsPerFetch); ; ) {
      const { columns, rows } = await fetchRows(client, rowCount);
      yield own && cutting !== undefined ? { columns: own, rows: markCuts(rows, own) } : { columns, rows };
      if (rows.length < rowCount) return;
      const perRow = Math.max(1, rows.reduce((sum, row) => sum + countCharacters(row), 0) / rows.length);
      rowCount = Math.max(1, Math.min(rowsPerFetch, Math.floor(CHARACTERS_PER_FETCH / perRow)));
    }
  } finally {
    await closeCursor(client);
  }
}

/** Of each statement, since they do not change while a process runs. */
const columnsOf = new Map<string, Rows['columns']>();

async function describeColumns(client: Client, text: string, values: readonly unknown[]): Promise<Rows['columns']> {
  const known = columnsOf.get(text);
  if (known) return known;
  const declare = `${DECLARE} ${text}`;
  await client.query({ text: declare, values: [...values] });
  const { columns } = await fetchRows(client, 0);
  await closeCursor(client);
  columnsOf.set(text, columns);
  return columns;
}

async function fetchRows(client: Client, count: number): Promise<Rows> {
  const next: QueryArrayConfig = { text: `FETCH FORWARD ${count} FROM searchmill_panel`, rowMode: 'array', types };
  const { fields, rows } = await client.query<(string | null)[]>(next);
  return { columns: fields.map(({ name, dataTypeID }): Column => ({ name, kind: kindOf(dataTypeID) })), rows: rows as readonly Row[] };
}

/** Fails only in a failed transaction, which ends anyway. */
const closeCursor = (client: Client): Promise<unknown> => client.query('CLOSE searchmill_panel').catch(() => undefined);

const countCharacters = (row: Row): number => row.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
