// Metrics for Prometheus. What happens in this process is counted as it happens; coverage and freshness are read from the
// ledger when somebody asks, so that every process shows the same. Labels are names from the configuration, never data.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PipelineObserver } from '../pipeline/pipeline.ts';
import type { CallObserver } from '../service/granted-call.ts';
import { type CoverageState, readAlikeWeeks, readConnections } from '../warehouse/coverage.ts';
import type { Pool } from '../warehouse/pool.ts';

const COVERAGE_STATES: readonly CoverageState[] = ['published', 'running', 'held', 'failed', 'missing'];
/** Each sample of the event loop's delay wakes the process: at the library's 10 ms that is most of what an idle one costs. */
const EVENT_LOOP_SAMPLE_MS = 100;
const DURATION_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

export interface Metrics {
  readonly pipelineObserver: PipelineObserver;
  readonly callObserver: (connection: string) => CallObserver;
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

  const coverage = new Gauge({
    name: 'searchmill_coverage_weeks',
    help: 'Expected weeks by state.',
    labelNames: ['job', 'state'],
    registers,
  });
  const freshness = new Gauge({
    name: 'searchmill_newest_published_week_timestamp_seconds',
    help: 'First day of the newest published week.',
    labelNames: ['job'],
    registers,
  });
  const publishedAt = new Gauge({
    name: 'searchmill_last_published_timestamp_seconds',
    help: 'When the job last published.',
    labelNames: ['job'],
    registers,
  });
  const unauthorized = new Gauge({
    name: 'searchmill_connection_unauthorized',
    help: '1 while the service refuses the credential.',
    labelNames: ['connection'],
    registers,
  });
  const paused = new Gauge({
    name: 'searchmill_connection_paused',
    help: '1 while the connection pauses after a 429.',
    labelNames: ['connection'],
    registers,
  });
  const lastMinute = new Gauge({
    name: 'searchmill_calls_last_minute',
    help: 'Calls granted in the last 60 seconds, over all processes.',
    labelNames: ['connection', 'kind'],
    registers,
  });

  async function readLedger(pool: Pool): Promise<void> {
    const [weeks, connections] = await Promise.all([readAlikeWeeks(pool), readConnections(pool)]);
    for (const gauge of [coverage, freshness, publishedAt, unauthorized, paused, lastMinute]) gauge.reset();
    for (const job of new Set(weeks.map((alike) => alike.job))) {
      const own = weeks.filter((alike) => alike.job === job);
      for (const state of COVERAGE_STATES) {
        const alikes = own.filter((alike) => alike.isExpected && alike.state === state);
        coverage.set(
          { job, state },
          alikes.reduce((count, alike) => count + alike.weeks, 0),
        );
      }
      const published = own.filter((alike) => alike.isPublished);
      const newest = published.map((alike) => Date.parse(alike.last)).reduce((a, b) => Math.max(a, b), 0);
      const latest = published.map((alike) => alike.publishedAt?.getTime() ?? 0).reduce((a, b) => Math.max(a, b), 0);
      if (newest > 0) freshness.set({ job }, newest / 1000);
      if (latest > 0) publishedAt.set({ job }, latest / 1000);
    }
    for (const connection of connections) {
      unauthorized.set({ connection: connection.name }, connection.unauthorizedSince ? 1 : 0);
      paused.set({ connection: connection.name }, connection.pausedUntil && connection.pausedUntil > new Date() ? 1 : 0);
      lastMinute.set({ connection: connection.name, kind: 'submit' }, connection.submitsLastMinute);
      lastMinute.set({ connection: connection.name, kind: 'read' }, connection.readsLastMinute);
    }
  }

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
      onStage: (stage, dataset, elapsedMs) => stageSeconds.observe({ stage, dataset }, elapsedMs / 1000),
    },
    callObserver: (connection) => ({
      onCall(kind, outcome, waitedMs, durationMs) {
        calls.inc({ connection, kind, outcome });
        callSeconds.observe({ connection, kind }, durationMs / 1000);
        waitSeconds.observe({ connection, kind }, waitedMs / 1000);
      },
    }),
    async render(pool) {
      await readLedger(pool);
      return registry.metrics();
    },
  };
}
