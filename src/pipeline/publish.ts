// audit and publish: the last stage. Runs again from the start after a crash, since it is one transaction.
import { identityColumns } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import { contextOf, type Execution, hold } from '../warehouse/executions.ts';
import { countPublished, publishStaged, readStagedFacts } from '../warehouse/publish.ts';
import { readMissingColumns } from '../warehouse/staging.ts';
import { auditSlice } from './audit.ts';
import type { Pipeline } from './pipeline.ts';

/** Audits a staged execution, then publishes or holds it. Throws LostLeaseError, StoreError. */
export async function auditAndPublish(pipeline: Pipeline, execution: Execution): Promise<void> {
  const started = performance.now();
  const dataset = datasetNamed(execution.dataset);
  const log = pipeline.log.child(contextOf(execution));
  const staged = await readStagedFacts(pipeline.pool, execution);
  if (!execution.isApproved) {
    const identity = new Set(identityColumns(dataset).map((column) => column.name));
    const missing = await readMissingColumns(pipeline.pool, execution.id);
    const objections = auditSlice({
      execution,
      staged,
      published: await countPublished(pipeline.pool, dataset, execution),
      missingIdentity: missing.filter((name) => identity.has(name)),
    });
    if (objections.length > 0) {
      await hold(pipeline.pool, execution, objections, performance.now() - started);
      log.warn({ objections }, 'held: the audit objects');
      return;
    }
  }
  const publication = await publishStaged(pipeline.pool, dataset, execution, staged, started);
  const elapsedMs = performance.now() - started;
  pipeline.observer.onStage?.('publish', execution.dataset, elapsedMs);
  pipeline.observer.onPublished?.(execution, publication);
  log.info({ ...publication, rows: staged.rows, quarantined: execution.rowsQuarantined, ms: Math.round(elapsedMs) }, 'published');
}
