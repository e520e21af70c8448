// Metrics for Prometheus. Events of this process are counted as they happen; coverage and freshness are read from the ledger on demand, so
// that every process shows the same. Labels are names from the configuration, never data.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, type OpenMetricsContentType, Registry } from 'prom-client';
import type { PipelineObserver } from '../pipeline/pipeline.ts';
import type { Pool } from '../postgres/pool.ts';
import { codeOf } from '../postgres/store-errors.ts';
import type { CallObserver } from '../service/call-service.ts';
import { addLedgerGauges } from './ledger-gauges.ts';

/** Each sample of the event-loop delay wakes the process: at the library's 10 ms that is most of the cost of an idle process. */
const EVENT_LOOP_SAMPLE_MS = 100;
const DURATION_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

export interface Metrics {
  readonly pipelineObserver: PipelineObserver;
  readonly callObserver: (connection: string) => CallObserver;
  readonly onLogLineLost: () => void;
  /** The exposition text in a form, with current values of the ledger's gauges. Throws StoreError. */
  render(pool: Pool, form?: MetricsForm): Promise<string>;
  readonly contentTypes: Readonly<Record<MetricsForm, string>>;
}

/** The text format of Prometheus, and OpenMetrics. */
export type MetricsForm = 'prometheus' | 'openmetrics';

/** `version` is the version of this release. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Histogram<Label> =>
    new Histogram({ name, help, labelNames, buckets: DURATION_BUCKETS, registers });

  const calls = counter('searchmill_calls_total', 'Calls to the service by outcome; rate_limited means 429.', [
    'connection',
    'kind',
    'outcome',
  ]);
  const callSeconds = histogram('searchmill_call_duration_seconds', 'Time from sending a call to its whole answer.', [
    'connection',
    'kind',
  ]);
  const waitSeconds = histogram('searchmill_call_wait_seconds', 'Time a call waited for the budget.', ['connection', 'kind']);
  const pages = counter('searchmill_pages_total', 'Pages committed to staging.', ['job', 'dataset']);
  const rows = counter('searchmill_rows_total', 'Rows received in committed pages.', ['job', 'dataset']);
  const rejected = counter('searchmill_quarantined_rows_total', 'Rows that did not decode.', ['job', 'dataset']);
  const publications = counter('searchmill_publications_total', 'Slices published.', ['job', 'dataset']);
  const changes = counter('searchmill_published_rows_total', 'Rows of publications by what happened to them.', [
    'job',
    'dataset',
    'change',
  ]);
  const stageSeconds = histogram('searchmill_stage_duration_seconds', 'Time of one submit, poll, load or publish.', ['stage', 'dataset']);
  const storeErrors = counter(
    'searchmill_store_errors_total',
    'Failures of the database by SQLSTATE or system code; retryable ones pass by themselves.',
    ['code', 'retryable'],
  );
  const queueErrors = counter('searchmill_queue_errors_total', "Failures of the queue's backend.", []);
  const unknownSubmits = counter('searchmill_unknown_submits_total', 'Submits whose outcome is not known: each may have been spent.', [
    'job',
  ]);
  const linesLost = counter('searchmill_log_lines_lost_total', 'Log lines that could not be written.', []);
  const build = new Gauge({
    name: 'searchmill_build_info',
    help: 'Always 1: the release of this process, and of Node.',
    labelNames: ['version', 'node'],
    registers,
  });
  build.set({ version, node: process.versions.node }, 1);
  const readLedger = addLedgerGauges(registry);
  const openRegistry = new Registry<OpenMetricsContentType>();
  openRegistry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  // prom-client takes `_total` off the name of a counter that it writes as OpenMetrics, for good: here off the name of an object that inherits from it.
  for (const metric of registry.getMetricsAsArray()) openRegistry.registerMetric(Object.create(metric) as Metric);
  const registries = { prometheus: registry, openmetrics: openRegistry };

  return {
    contentTypes: { prometheus: registry.contentType, openmetrics: openRegistry.contentType },
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
      onStage: (stage, { dataset }, elapsedMs) => stageSeconds.observe({ stage, dataset }, elapsedMs / 1000),
    },
    callObserver: (connection) => ({
      onCall({ kind }, outcome, waitedMs, durationMs) {
        calls.inc({ connection, kind, outcome });
        callSeconds.observe({ connection, kind }, durationMs / 1000);
        waitSeconds.observe({ connection, kind }, waitedMs / 1000);
      },
    }),
    onLogLineLost: () => linesLost.inc(),
    async render(pool, form = 'prometheus') {
      await readLedger(pool);
      return registries[form].metrics();
    },
  };
}

/** The form that an Accept header prefers: that of Prometheus, unless OpenMetrics has a higher weight than it. */
export function metricsFormFor(accept: string | undefined): MetricsForm {
  const weights = (accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, weight: given === undefined ? 1 : Number(given.slice(2)) || 0 };
  });
  const weightOf = (...types: string[]): number =>
    Math.max(0, ...weights.flatMap(({ type, weight }) => (types.includes(type) ? [weight] : [])));
  return weightOf('application/openmetrics-text') > weightOf('text/plain') ? 'openmetrics' : 'prometheus';
}
