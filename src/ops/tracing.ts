// Traces by OpenTelemetry: one per execution, from its plan to its end or until it is held, whichever processes work on it. Loaded only if
// OTEL_EXPORTER_OTLP_ENDPOINT is set. It receives the same events as metrics, after the fact, so no stage depends on it. The ids of a trace,
// its root and its stages are derived from the ledger and the execution, so all processes compute the same ids without exchanging them.
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attributes, ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type IdGenerator, RandomIdGenerator, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { SECOND } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Secret } from '../core/secret.ts';
import { leadThrough } from '../egress/agent.ts';
import { findRoute, type Proxies } from '../egress/route.ts';
import type { Execution } from '../ledger/executions.ts';
import type { PipelineObserver, Stage } from '../pipeline/pipeline.ts';
import type { CallObserver } from '../service/call-service.ts';

/** Timeout of one export; a collector that hangs must not delay the end of the process. */
const EXPORT_MS = 3 * SECOND;
const FLUSH_MS = 2 * SECOND;
const ROOT = 'execution';
/** Span from holding an execution until the decision was carried out. */
const DECISION = 'decision';
/** The preceding stage that a stage links to, possibly in another process. */
const BEFORE: Readonly<Partial<Record<Stage, Stage>>> = { load: 'submit', publish: 'load' };

export type TracingOptions = Readonly<{
  /** URL at which a collector accepts OTLP over HTTP, without the path. */
  endpoint: Secret;
  proxies: Proxies;
  ledgerId: string;
  version: string;
  log: Logger;
  /** Replaces the exporter for `endpoint`. */
  exporter?: SpanExporter;
}>;

export interface Tracing {
  readonly pipelineObserver: PipelineObserver;
  readonly callObserver: (connection: string) => CallObserver;
  /** Sends pending spans, within 2 s. Never throws. */
  close(): Promise<void>;
}

type Ids = Readonly<{ traceId: string; spanId: string }>;
type Told = Readonly<{
  name: string;
  execution: number;
  elapsedMs: number;
  attributes: Attributes;
  kind?: SpanKind;
  /** Ids of the span, set when others must know them. */
  ids?: Ids;
  isRoot?: boolean;
  links?: readonly Ids[];
  error?: string;
}>;

export function startTracing({ endpoint, proxies, ledgerId, version, log, ...options }: TracingOptions): Tracing {
  const exporter = options.exporter ?? openExporter(endpoint, proxies);
  const ids = new ChosenIds();
  const defaults = { 'service.name': 'searchmill', 'service.version': version, 'service.instance.id': `${hostname()}-${process.pid}` };
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence over these.
    resource: resourceFromAttributes(defaults).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter: tellFailures(exporter, log), exportTimeoutMillis: EXPORT_MS })],
    idGenerator: ids,
  });
  const tracer = provider.getTracer('searchmill', version);
  const idsOf = (execution: number, span: string): Ids => ({
    traceId: digest(`${ledgerId}/${execution}`).slice(0, 32),
    spanId: digest(`${ledgerId}/${execution}/${span}`).slice(0, 16),
  });

  function tell({ name, execution, elapsedMs, attributes, kind = SpanKind.INTERNAL, isRoot, links = [], error, ...own }: Told): void {
    const end = Date.now();
    const parent = isRoot ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, asContext(idsOf(execution, ROOT)));
    const options = { kind, attributes, startTime: end - elapsedMs, links: links.map((link) => ({ context: asContext(link) })) };
    const span = ids.choose(own.ids, () => tracer.startSpan(name, options, parent));
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    span.end(end);
  }

  function tellEnd(execution: Execution, outcome: string, links: readonly Ids[] = []): void {
    const { id, plannedAt, heldAt, pages, rowsReceived, rowsQuarantined } = execution;
    const counts = { 'searchmill.pages': pages, 'searchmill.rows': rowsReceived, 'searchmill.quarantined': rowsQuarantined };
    const attributes = { ...attributesOf(execution), ...counts, 'searchmill.outcome': outcome };
    const elapsedMs = Math.max(0, Date.now() - (heldAt ?? plannedAt).getTime());
    const error = outcome === 'published' ? {} : { error: outcome };
    // The trace of a held execution got its root when it was held; a later end adds the decision. Commands that discard it send no traces.
    const own = heldAt === null ? { name: ROOT, ids: idsOf(id, ROOT), isRoot: true } : { name: DECISION };
    tell({ ...own, execution: id, elapsedMs, attributes, links, ...error });
  }

  return {
    pipelineObserver: {
      onCopied(execution, { pages, rows, bytes, decodeMs }, elapsedMs) {
        const counts = { 'searchmill.pages': pages, 'searchmill.rows': rows, 'searchmill.bytes': bytes, 'searchmill.decode_ms': decodeMs };
        tell({ name: 'copy', execution: execution.id, elapsedMs, attributes: { ...attributesOf(execution), ...counts } });
      },
      onStage(stage, execution, elapsedMs) {
        // A poll is a single call, which has a span already.
        if (stage === 'poll') return;
        const before = BEFORE[stage];
        const links = before ? [idsOf(execution.id, before)] : [];
        const own = { ids: idsOf(execution.id, stage), attributes: attributesOf(execution), links };
        tell({ name: stage, execution: execution.id, elapsedMs, ...own });
      },
      onPublished: (execution) => tellEnd(execution, 'published'),
      onHeld: (execution) => tellEnd(execution, 'held'),
      onEnded: (execution, state, next) => tellEnd(execution, state, next === undefined ? [] : [idsOf(next, ROOT)]),
    },
    callObserver: (connection) => ({
      onCall({ name, dataset, context }, outcome, waitedMs, durationMs) {
        if (context.execution === undefined) return;
        const { job = '', execution } = context;
        const of = { 'searchmill.connection': connection, 'searchmill.dataset': dataset, 'searchmill.job': job };
        const attributes = {
          ...of,
          'searchmill.execution': Number(execution),
          'searchmill.outcome': outcome,
          'searchmill.wait_ms': waitedMs,
        };
        const error = outcome === 'ok' ? {} : { error: outcome };
        tell({ name: `call ${name}`, execution: Number(execution), elapsedMs: durationMs, attributes, kind: SpanKind.CLIENT, ...error });
      },
    }),
    close: async () => {
      await Promise.race([provider.shutdown().catch(() => undefined), delay(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

/** The exporter itself reads headers, certificates and compression from OTEL_EXPORTER_OTLP_HEADERS and similar variables. */
function openExporter(endpoint: Secret, proxies: Proxies): SpanExporter {
  const options = { url: `${endpoint.reveal().replace(/\/+$/, '')}/v1/traces`, timeoutMillis: EXPORT_MS };
  const { proxy } = findRoute(proxies, options.url);
  if (!proxy) return new OTLPTraceExporter(options);
  // The exporter's default agent, with the certificates that the environment names.
  const { agentFactory } = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', {});
  const httpAgentOptions = async (protocol: string) => leadThrough(await agentFactory(protocol), proxy, protocol, EXPORT_MS);
  return new OTLPTraceExporter({ ...options, httpAgentOptions });
}

/** Only names from the configuration and numbers from the ledger: no address, no filter, no data of the service. */
function attributesOf({ id, job, dataset, connection, reason, windowStart, windowEnd }: Execution): Attributes {
  return {
    'searchmill.execution': id,
    'searchmill.job': job,
    'searchmill.dataset': dataset,
    'searchmill.connection': connection,
    'searchmill.reason': reason,
    'searchmill.window': `${windowStart}..${windowEnd}`,
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const asContext = (ids: Ids): SpanContext => ({ ...ids, traceFlags: TraceFlags.SAMPLED, isRemote: true });

/** Generates random ids unless ids were chosen. */
class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #chosen: Ids | undefined;

  choose<T>(ids: Ids | undefined, start: () => T): T {
    this.#chosen = ids;
    try {
      return start();
    } finally {
      this.#chosen = undefined;
    }
  }

  generateTraceId = (): string => this.#chosen?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#chosen?.spanId ?? this.#random.generateSpanId();
}

/** Logs once that traces cannot be exported, until an export succeeds again. */
function tellFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const fails = result.error !== undefined;
        if (fails && !isFailing) log.warn({ err: describeError(result.error) }, 'traces could not be sent and are dropped; loads go on');
        isFailing = fails;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
