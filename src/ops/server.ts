// Health and metrics over HTTP, for load balancers, container engines and Prometheus, and the dashboards for people. It listens on loopback
// unless configured otherwise. Requests for health and metrics share one ledger query at a time, over connections of their own.
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { SECOND } from '../core/clock.ts';
import { closing } from '../core/closing.ts';
import { describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Secret } from '../core/secret.ts';
import { accessFor } from '../dashboards/access.ts';
import { readBoards } from '../dashboards/boards.ts';
import { createHttpServer, listen } from '../dashboards/http-server.ts';
import { servePages } from '../dashboards/pages.ts';
import { createPanelPool, PAGES_CONNECTIONS } from '../dashboards/run-panels.ts';
import { isNameServed } from '../dashboards/sessions.ts';
import { createAsking } from '../mcp/asking.ts';
import { serveMcp } from '../mcp/http.ts';
import { operationsPages } from '../operations/pages.ts';
import { createPool } from '../postgres/pool.ts';
import type { Instance } from '../queue/instance.ts';
import { storeWanted } from '../reports/refresh.ts';
import { checkReadiness } from './health.ts';
import { type Metrics, type MetricsForm, metricsFormFor } from './metrics.ts';
import { shareAnswer } from './shared-answer.ts';

/** One for metrics, whose statements run one after another, and one for readiness. */
const HEALTH_CONNECTIONS = 2;
/** Connections that a process with this server needs besides its loads, and those it leaves free for dashboard users. */
export const OPS_CONNECTIONS = { beside: HEALTH_CONNECTIONS, spared: PAGES_CONNECTIONS } as const;
/** All requests within this time get the same scrape. */
const METRICS_HOLD_MS = 5 * SECOND;
const READINESS_HOLDS_MS = SECOND;

export type OpsOptions = Readonly<{
  host: string;
  port: number;
  /** True: if the port is taken, use the next free one above it. */
  mayMoveUp?: boolean;
  databaseUrl: Secret;
  /** Password of the dashboards; undefined: they are shown on loopback only. */
  password?: Secret | undefined;
  /** Addresses of proxies whose information about the client's address is trusted. */
  trustedProxies?: readonly string[];
  /** Path below which a proxy serves the pages. */
  basePath?: string | undefined;
  /** Folder of charts.js, the style sheets and icon.svg. */
  assetsFolder?: string;
  instance: Instance;
  metrics: Metrics;
  log: Logger;
  /** For tests that cannot wait. */
  patienceMs?: number;
  holdMs?: number;
}>;

export interface OpsServer {
  /** Address it listens on. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves /healthz, /readyz, /metrics and the dashboards. Throws ConfigurationError when it cannot listen on the address. */
export async function startOpsServer(options: OpsOptions): Promise<OpsServer & AsyncDisposable> {
  const { instance, metrics, log, holdMs, trustedProxies, basePath, patienceMs } = options;
  const pool = createPool(options.databaseUrl, { applicationName: 'searchmill ops', max: HEALTH_CONNECTIONS });
  const pages = createPanelPool(options.databaseUrl);
  // As bytes, so that many slow readers share one copy in memory.
  const scrapeAs = (form: MetricsForm) => shareAnswer(async () => Buffer.from(await metrics.render(pool, form)), holdMs ?? METRICS_HOLD_MS);
  const scrapes = { prometheus: scrapeAs('prometheus'), openmetrics: scrapeAs('openmetrics') };
  const readiness = shareAnswer(() => checkReadiness(pool, instance), holdMs ?? READINESS_HOLDS_MS);
  const access = accessFor({ ...options, password: options.password, pool: pages });
  const server = createHttpServer({ trustedProxies, basePath, patienceMs });
  const refuseProxied = async (request: FastifyRequest, reply: FastifyReply) => {
    if (basePath && isFromProxy(request)) return reply.code(404).send({ status: 'refused', reason: 'it is not served by way of a proxy' });
  };
  const refuseOtherNames = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isNameServed(access, request))
      return reply.code(403).send({ status: 'refused', reason: 'without a password it is served under names of the loopback only' });
  };
  const ownNamesOnly: RouteShorthandOptions = { onRequest: [refuseProxied, refuseOtherNames] };
  server.get('/healthz', { onRequest: refuseProxied }, async () => ({ status: 'alive' }));
  server.get('/readyz', ownNamesOnly, async (_, reply) => {
    const { isReady, checks } = await readiness();
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', checks });
  });
  server.get('/metrics', ownNamesOnly, async (request, reply) => {
    const form = metricsFormFor(request.headers.accept);
    return reply
      .header('vary', 'accept')
      .type(metrics.contentTypes[form])
      .send(await scrapes[form]());
  });
  server.setErrorHandler((error, _, reply) => reply.code(503).send({ status: 'failed', reason: describeError(error) }));
  const close = async (): Promise<void> => {
    await server.close();
    await Promise.all([pool.end(), pages.end()]);
  };
  try {
    const { assetsFolder } = options;
    const boards = readBoards();
    await server.register(serveMcp, { asking: createAsking(pages, boards), access });
    await server.register(servePages, {
      ...(assetsFolder && { assetsFolder }),
      pool: pages,
      boards,
      access,
      basePath,
      log,
      storeSummaries: (wanted, signal) => storeWanted(pool, wanted, signal),
      more: operationsPages({ pool: pages, writer: pool, reload: instance.reload }),
    });
    const url = await listen(server, options, 'dashboards, health and metrics');
    log.info({ url }, 'dashboards, health and metrics');
    return closing({ url, close }, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Whether a proxy that serves the pages below their path sent the request: with the path, or, where it removes the path, with the headers of
 * proxies. Health and metrics have no password, and are not for those who reach the pages.
 */
function isFromProxy({ originalUrl, url, headers }: FastifyRequest): boolean {
  return originalUrl !== url || Object.keys(headers).some((name) => /^(?:x-forwarded-.*|x-real-ip|forwarded|via)$/.test(name));
}
