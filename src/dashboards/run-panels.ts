// Runs panels: all of a board in one read-only transaction that sees one state of the database, so that no two panels disagree.
// Variables go beside the statement as parameters, never into its text.
import type { CustomTypesConfig, QueryArrayConfig } from 'pg';
import { SECOND } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { compileStatement } from '../warehouse/named-parameters.ts';
import { type Client, createPool, type Pool } from '../warehouse/pool.ts';
import { asStoreError } from '../warehouse/store-errors.ts';
import { inSavepoint, inTransaction } from '../warehouse/transaction.ts';
import { type Column, kindOf, type Row, type Rows } from './cells.ts';
import type { Panel } from './panel-file.ts';
import type { Values, VariableName } from './variables.ts';

export type PanelResult = Rows & Readonly<{ isCut: boolean }>;
/** Why a panel has no result. */
export type PanelFailure = Readonly<{ failure: string }>;

/** Transactions leave one to what runs without any. */
export const PAGES_CONNECTIONS = 3;
/** A panel takes 0.3 s at most over 50 million rows; one that takes this long would keep others from theirs. */
const STATEMENT_TIMEOUT_MS = 15 * SECOND;
/** More rows than a page shows; the CSV has them all. */
const PAGE_ROWS = 2_000;
const ROWS_PER_FETCH = 2_000;

/** Connections for panels. Whatever role it is, it only reads, and no statement takes longer than 15 s. */
export function createPanelPool(databaseUrl: Secret, { max = PAGES_CONNECTIONS }: { max?: number } = {}): Pool {
  return createPool(databaseUrl, {
    applicationName: 'searchmill dashboards',
    max,
    settings: {
      default_transaction_read_only: 'on',
      // A login may be given the rows of one account.
      row_security: 'on',
      statement_timeout: String(STATEMENT_TIMEOUT_MS),
      // Panels are read to their end, by cursors.
      cursor_tuple_fraction: '1',
      // Compiling takes longer than these statements do; sites of a year are grouped in memory.
      jit: 'off',
      work_mem: '16MB',
    },
  });
}

/** `work` in a transaction that reads one state of the database. Throws StoreError. */
export function inSnapshot<T>(pool: Pool, work: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
  return inTransaction(pool, work, { isSnapshot: true, isReadOnly: true, signal });
}

/** The first rows of a panel. A statement that fails is undone and told; the transaction goes on. Throws when the connection fails. */
export async function runPanel(
  client: Client,
  panel: Pick<Panel, 'sql'>,
  values: Values,
  maxRows: number = PAGE_ROWS,
): Promise<PanelResult | PanelFailure> {
  let failure: unknown;
  const result = await inSavepoint(
    client,
    async () => {
      for await (const { columns, rows } of readRows(client, panel, values, maxRows + 1)) {
        return { columns, rows: rows.slice(0, maxRows), isCut: rows.length > maxRows };
      }
      return { columns: [], rows: [], isCut: false };
    },
    (error) => {
      failure = error;
      return hasStatementFailed(error);
    },
  );
  return result ?? { failure: describeError(asStoreError(failure)) };
}

/** Whether the statement failed and not the connection: the server has said why, and goes on. */
function hasStatementFailed(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return severity === 'ERROR' && typeof code === 'string' && !code.startsWith('57P');
}

const types = { getTypeParser: () => (text: string) => text } as unknown as CustomTypesConfig;

/** All rows of a statement, some at a time, by a cursor that is closed when the reader stops. Throws what pg throws. */
export async function* readRows(
  client: Client,
  { sql }: Pick<Panel, 'sql'>,
  values: Values,
  rowsPerFetch: number = ROWS_PER_FETCH,
): AsyncGenerator<Rows> {
  const { text, parameters } = compileStatement(sql);
  const given = parameters.map((name) => values[name as VariableName] ?? null);
  const declare = `DECLARE searchmill_panel NO SCROLL CURSOR FOR ${text}`;
  await client.query({ text: declare, values: given });
  const fetch = `FETCH FORWARD ${rowsPerFetch} FROM searchmill_panel`;
  const next: QueryArrayConfig = { text: fetch, rowMode: 'array', types };
  try {
    for (;;) {
      const { fields, rows } = await client.query<(string | null)[]>(next);
      const columns = fields.map(({ name, dataTypeID }): Column => ({ name, kind: kindOf(dataTypeID) }));
      yield { columns, rows: rows as readonly Row[] };
      if (rows.length < rowsPerFetch) return;
    }
  } finally {
    // Fails in a transaction that has failed, which is ended anyway.
    await client.query('CLOSE searchmill_panel').catch(() => undefined);
  }
}
