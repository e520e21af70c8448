// audit and publish: the last stage. Publishing is one transaction, so after a crash the stage runs again from its start.

import type { Drift } from '../codec/decode.ts';
import { type Dataset, identityColumns } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import { findNewDrift } from '../ledger/coverage.ts';
import type { Publication } from '../ledger/execution-histories.ts';
import { contextOf, type Execution, hold } from '../ledger/executions.ts';
import type { Client } from '../postgres/pool.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { readMissingColumns } from '../publishing/checkpoint.ts';
import { compareValues } from '../publishing/held-changes.ts';
import {
  boundPublished,
  countPublished,
  publishStaged,
  readPublishedRequests,
  readStagedFacts,
  type StagedFacts,
  type StagedRows,
} from '../publishing/publish.ts';
import { UnwrittenRowsError } from '../tables/written-rows.ts';
import { auditSlice, type Objection } from './audit.ts';
import { examineLosses, RefusedLossError } from './losses.ts';
import type { Pipeline } from './pipeline.ts';
import { compareFilters, findShrunkWeeks, MAX_NAMED, type Shrinkage } from './shrinkage.ts';

/**
 * Audits a staged execution, then publishes or holds it. `signal` aborts it when the lease is lost or the database is gone.
 * Throws LostLeaseError, StoreError.
 */
export async function auditAndPublish(pipeline: Pipeline, execution: Execution, signal: AbortSignal): Promise<void> {
  const { pool, observer } = pipeline;
  const started = performance.now();
  const dataset = datasetNamed(execution.dataset);
  const log = pipeline.log.child(contextOf(execution));
  const { staged, objections, drift } = await inTransaction(pool, (client) => audit(client, dataset, execution), { signal });
  if (drift.length > 0 && !execution.isApproved) log.warn({ drift }, 'the schema differs from what was expected, for the first time');
  const holdFor = async (objections: readonly Objection[]): Promise<void> => {
    await hold(pool, execution, objections, performance.now() - started);
    observer.onHeld?.(execution);
    log.warn({ objections }, 'held: the audit objects');
  };
  if (objections.length > 0 && !execution.isApproved) return holdFor(objections);
  let publication: Publication;
  try {
    const examine = (client: Client): Promise<void> => examineLosses(client, dataset, execution);
    const options = { facts: staged, startedAt: started, signal, ...(execution.isApproved ? {} : { examine }) };
    publication = await publishStaged(pool, dataset, execution, options);
  } catch (error) {
    if (error instanceof RefusedLossError) return holdFor(error.objections);
    if (!(error instanceof UnwrittenRowsError)) throw error;
    const advice = 'Once it is removed, approve publishes the load after the usual audit; discard drops it';
    return holdFor([{ rule: 'written', message: `${error.message}. ${advice}` }]);
  }
  const elapsedMs = performance.now() - started;
  observer.onStage?.('publish', execution, elapsedMs);
  observer.onPublished?.(execution, publication);
  log.info({ ...publication, rows: staged.rows, quarantined: execution.rowsQuarantined, ms: Math.round(elapsedMs) }, 'published');
}

type Audited = Readonly<{ staged: StagedRows; objections: readonly Objection[]; drift: readonly Drift[] }>;

async function audit(client: Client, dataset: Dataset, execution: Execution): Promise<Audited> {
  const staged = await readStagedFacts(client, execution);
  const identity = new Set(identityColumns(dataset).map((column) => column.name));
  const missing = await readMissingColumns(client, execution.id);
  const shrinkage = execution.isApproved ? undefined : await findShrinkage(client, dataset, execution, staged);
  return {
    staged,
    drift: await findNewDrift(client, execution.id),
    objections: auditSlice({ execution, staged, shrinkage, missingIdentity: missing.filter((name) => identity.has(name)) }),
  };
}

/** What the staged rows would remove, whatever filters the published rows were loaded with; undefined when that is not too much. */
async function findShrinkage(client: Client, dataset: Dataset, execution: Execution, staged: StagedFacts): Promise<Shrinkage | undefined> {
  const findWeeks = (published: readonly number[]) => findShrunkWeeks(execution, staged.weekRows, published);
  // boundPublished is a cheap upper bound: an answer that is large enough for it is large enough for the exact count.
  if (findWeeks(await boundPublished(client, execution)).length === 0) return undefined;
  const weeks = findWeeks(await countPublished(client, dataset, execution));
  if (weeks.length === 0) return undefined;
  const requests = await readPublishedRequests(
    client,
    execution.job,
    weeks.map(({ week }) => week),
  );
  const [filters] = requests.flatMap((request) => compareFilters(dataset, request, execution.request) ?? []);
  const shrunkWeeks = weeks.map(({ index }) => index);
  const vanishing = await compareValues(client, dataset, execution, { maxValues: MAX_NAMED, shrunkWeeks });
  return { weeks, ...(filters && { filters }), vanishing };
}
