// Runs panels: all panels of a board in one read-only snapshot transaction, so that no two panels disagree.
// Variables are passed as parameters, never inserted into the SQL text.
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

/** Transactions use at most three quarters of the pool, so one connection is left for single statements. */
export const PAGES_CONNECTIONS = 3;
/** A panel takes at most 0.3 s over 50 million rows. One that takes this long would block others. */
const STATEMENT_TIMEOUT_MS = 15 * SECOND;
/** Most rows of a panel on a page; the CSV has all. */
const PAGE_ROWS = 2_000;
const ROWS_PER_FETCH = 2_000;

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
 * The first `maxRows` rows of a panel. If its statement fails, it is rolled back to a savepoint and a failure is returned; the transaction
 * continues. Throws when the connection fails.
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

/** Whether only the statement failed: the server reported an error and the connection still works. */
function hasStatementFailed(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return severity === 'ERROR' && typeof code === 'string' && !code.startsWith('57P');
}

const types = { getTypeParser: () => (text: string) => text } as unknown as CustomTypesConfig;

/** Yields all rows of a statement in batches, by a cursor that is closed when the caller stops. Throws what pg throws. */
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
    // Fails only in a failed transaction, which ends anyway.
    await client.query('CLOSE searchmill_panel').catch(() => undefined);
  }
}
