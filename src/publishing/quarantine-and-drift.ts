// Rows of a page that did not decode, and drift of its schema. Both are written in the transaction of the page.
import type { Drift, RejectedRow } from '../codec/decode.ts';
import type { Lease } from '../ledger/executions.ts';
import type { Client } from '../postgres/pool.ts';
import { execute } from '../postgres/statements.ts';

type PageNumber = Readonly<{ page: number }>;

/** Puts rows of a page into quarantine. Throws StoreError. */
export async function writeQuarantine(
  client: Client,
  lease: Lease,
  { page, columnNames }: PageNumber & Readonly<{ columnNames: readonly string[] }>,
  rejected: readonly RejectedRow[],
): Promise<void> {
  if (rejected.length === 0) return;
  await execute(client, 'quarantine/insert', {
    executionId: lease.id,
    page,
    positions: rejected.map((row) => row.position),
    columns: rejected.map((row) => row.column),
    reasons: rejected.map((row) => row.reason),
    raw: rejected.map((row) => row.raw),
    schemaNames: columnNames,
  });
}

/** Writes down how the schema of a page differs from what is expected. Throws StoreError. */
export async function writeDrift(
  client: Client,
  lease: Lease,
  { page, drift }: PageNumber & Readonly<{ drift: readonly Drift[] }>,
): Promise<void> {
  if (drift.length === 0) return;
  await execute(client, 'drift/insert', { executionId: lease.id, page, drift: JSON.stringify(drift) });
}
