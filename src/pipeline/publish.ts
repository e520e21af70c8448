// audit and publish: the last stage. Runs again from the start after a crash, since it is one transaction.
import { type Dataset, identityColumns } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import { findNewDrift } from '../warehouse/coverage.ts';
import type { Drift } from '../warehouse/decode.ts';
import { contextOf, type Execution, hold } from '../warehouse/executions.ts';
import type { Client } from '../warehouse/pool.ts';
import { boundPublished, countPublished, publishStaged, readStagedFacts, type StagedFacts } from '../warehouse/publish.ts';
import { completeStaging, readMissingColumns, renewKeys } from '../warehouse/staging.ts';
import { inTransaction } from '../warehouse/transaction.ts';
import { auditSlice, isShrunk, type Objection } from './audit.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * Audits a staged execution, then publishes or holds it. `signal` cuts it when the lease is lost or the database is gone.
 * Throws LostLeaseError, StoreError.
 */
export async function auditAndPublish(pipeline: Pipeline, execution: Execution, signal: AbortSignal): Promise<void> {
  const { pool, observer } = pipeline;
  const started = performance.now();
  const dataset = datasetNamed(execution.dataset);
  const log = pipeline.log.child(contextOf(execution));
  const { staged, objections, drift } = await inTransaction(pool, (client) => audit(client, dataset, execution), { signal });
  if (drift.length > 0 && !execution.isApproved) log.warn({ drift }, 'the schema differs from what was expected, for the first time');
  if (objections.length > 0 && !execution.isApproved) {
    await hold(pool, execution, objections, performance.now() - started);
    log.warn({ objections }, 'held: the audit objects');
    return;
  }
  const publication = await publishStaged(pool, dataset, execution, staged, started, signal);
  const elapsedMs = performance.now() - started;
  observer.onStage?.('publish', execution.dataset, elapsedMs);
  observer.onPublished?.(execution, publication);
  log.info({ ...publication, rows: staged.rows, quarantined: execution.rowsQuarantined, ms: Math.round(elapsedMs) }, 'published');
}

type Audited = Readonly<{ staged: StagedFacts; objections: readonly Objection[]; drift: readonly Drift[] }>;

async function audit(client: Client, dataset: Dataset, execution: Execution): Promise<Audited> {
  await completeStaging(client, dataset, execution.id);
  await renewKeys(client, dataset, execution);
  const staged = await readStagedFacts(client, execution);
  const identity = new Set(identityColumns(dataset).map((column) => column.name));
  const missing = await readMissingColumns(client, execution.id);
  // Another question has another number of rows: nothing to compare with.
  const isSameQuestion = execution.publishedFiltersDigest === null || execution.publishedFiltersDigest === execution.filtersDigest;
  let published = isSameQuestion ? await boundPublished(client, execution) : 0;
  // Where the answer is large enough for that many, it is for those that are still there.
  if (published > 0 && isShrunk(execution, staged, published)) published = await countPublished(client, dataset, execution);
  return {
    staged,
    drift: await findNewDrift(client, execution.id),
    objections: auditSlice({ execution, staged, published, missingIdentity: missing.filter((name) => identity.has(name)) }),
  };
}
