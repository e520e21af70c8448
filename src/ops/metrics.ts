// Metrics for Prometheus. What happens in this process is counted as it happens; coverage and freshness are read from the
// ledger when somebody asks, so that every process shows the same. Labels are names from the configuration, never data.
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { PipelineObserver } from '../pipeline/pipeline.ts';
import type { CallObserver } from '../service/call-service.ts';
import type { Pool } from '../warehouse/pool.ts';
import { codeOf } from '../warehouse/store-errors.ts';
import { addLedgerGauges } from './ledger-gauges.ts';

/** Each sample of the event loop's delay wakes the process: at the library's 10 ms that is most of what an idle one costs. */
const EVENT_LOOP_SAMPLE_MS = 100;
const DURATION_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

export interface Metrics {
  readonly pipelineObserver: PipelineObserver;
  readonly callObserver: (connection: string) => CallObserver;
  readonly onLogLineLost: () => void;
  /** The exposition text, with the ledger's gauges as they are now. Throws StoreError. */
  render(pool: Pool): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const registers = [registry];

  const calls = new Counter({
    name: 'searchmill_calls_total',
    help: 'Calls to the service by outcome; rate_limited is an answer 429.',
    labelNames: ['connection', 'kind', 'outcome'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'searchmill_call_duration_seconds',
    help: 'Time from sending a call to its whole answer.',
    labelNames: ['connection', 'kind'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const waitSeconds = new Histogram({
    name: 'searchmill_call_wait_seconds',
    help: 'Time a call waited for the budget.',
    labelNames: ['connection', 'kind'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const pages = new Counter({
    name: 'searchmill_pages_total',
    help: 'Pages committed to staging.',
    labelNames: ['job', 'dataset'],
    registers,
  });
  const rows = new Counter({
    name: 'searchmill_rows_total',
    help: 'Rows received in committed pages.',
    labelNames: ['job', 'dataset'],
    registers,
  });
  const rejected = new Counter({
    name: 'searchmill_quarantined_rows_total',
    help: 'Rows that did not decode.',
    labelNames: ['job', 'dataset'],
    registers,
  });
  const publications = new Counter({
    name: 'searchmill_publications_total',
    help: 'Slices published.',
    labelNames: ['job', 'dataset'],
    registers,
  });
  const changes = new Counter({
    name: 'searchmill_published_rows_total',
    help: 'Rows of publications by what happened to them.',
    labelNames: ['job', 'dataset', 'change'],
    registers,
  });
  const stageSeconds = new Histogram({
    name: 'searchmill_stage_duration_seconds',
    help: 'Time of one submit, poll, load or publish.',
    labelNames: ['stage', 'dataset'],
    buckets: DURATION_BUCKETS,
    registers,
  });

  const storeErrors = new Counter({
    name: 'searchmill_store_errors_total',
    help: 'Failures of the database by SQLSTATE or system code; retryable ones pass by themselves.',
    labelNames: ['code', 'retryable'],
    registers,
  });
  const queueErrors = new Counter({ name: 'searchmill_queue_errors_total', help: "Failures of the queue's backend.", registers });
  const unknownSubmits = new Counter({
    name: 'searchmill_unknown_submits_total',
    help: 'Submits whose outcome is not known: each may have been spent.',
    labelNames: ['job'],
    registers,
  });
  const linesLost = new Counter({ name: 'searchmill_log_lines_lost_total', help: 'Log lines that could not be written.', registers });
  const readLedger = addLedgerGauges(registry);

  return {
    contentType: registry.contentType,
    pipelineObserver: {
      onPage({ job, dataset }, page) {
        pages.inc({ job, dataset });
        rows.inc({ job, dataset }, page.rows);
        if (page.rejected > 0) rejected.inc({ job, dataset }, page.rejected);
      },
      onPublished({ job, dataset }, publication) {
        publications.inc({ job, dataset });
        for (const [change, amount] of Object.entries(publication)) changes.inc({ job, dataset, change }, amount);
      },
      onStoreError: (error) => storeErrors.inc({ code: codeOf(error), retryable: String(error.retryable) }),
      onQueueError: () => queueErrors.inc(),
      onUnknownSubmit: ({ job }) => unknownSubmits.inc({ job }),
      onStage: (stage, dataset, elapsedMs) => stageSeconds.observe({ stage, dataset }, elapsedMs / 1000),
    },
    callObserver: (connection) => ({
      onCall(kind, outcome, waitedMs, durationMs) {
        calls.inc({ connection, kind, outcome });
        callSeconds.observe({ connection, kind }, durationMs / 1000);
        waitSeconds.observe({ connection, kind }, waitedMs / 1000);
      },
    }),
    onLogLineLost: () => linesLost.inc(),
    async render(pool) {
      await readLedger(pool);
      return registry.metrics();
    },
  };
}
