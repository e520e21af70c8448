// Health and metrics over HTTP, for load balancers, container engines and Prometheus, and the dashboards for people. Reads only;
// nothing here changes anything, and it listens on the loopback unless configured otherwise. However many ask for health and
// metrics, the ledger is asked once, over connections of its own.
import type { RouteShorthandOptions } from 'fastify';
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
import type { Instance } from '../queue/instance.ts';
import { createPool } from '../warehouse/pool.ts';
import { checkReadiness } from './health.ts';
import type { Metrics } from './metrics.ts';
import { shareAnswer } from './shared-answer.ts';

/** One for metrics, whose statements come one after another, and one for readiness. */
const HEALTH_CONNECTIONS = 2;
/** What a process with this server needs beside its loads, and what it leaves free for those who look. */
export const OPS_CONNECTIONS = { beside: HEALTH_CONNECTIONS, spared: PAGES_CONNECTIONS } as const;
/** A scrape is the same for all who come within this. */
const METRICS_HOLD_MS = 5 * SECOND;
const READINESS_HOLDS_MS = SECOND;

export type OpsOptions = Readonly<{
  host: string;
  port: number;
  /** True: where the port is taken, the next free one above it. */
  mayMoveUp?: boolean;
  databaseUrl: Secret;
  /** For the dashboards; undefined shows them on the loopback only. */
  password?: Secret | undefined;
  /** Addresses of proxies whose word for the client's address is taken. */
  trustedProxies?: readonly string[];
  /** Where charts.js, pages.css and icon.svg are. */
  assetsFolder?: string;
  instance: Instance;
  metrics: Metrics;
  log: Logger;
  /** For tests that cannot wait. */
  patienceMs?: number;
  holdMs?: number;
}>;

export interface OpsServer {
  /** Where it listens. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves /healthz, /readyz, /metrics and the dashboards. Throws ConfigurationError when the address cannot be listened on. */
export async function startOpsServer(options: OpsOptions): Promise<OpsServer & AsyncDisposable> {
  const { instance, metrics, log, holdMs, trustedProxies, patienceMs } = options;
  const pool = createPool(options.databaseUrl, { applicationName: 'searchmill ops', max: HEALTH_CONNECTIONS });
  const pages = createPanelPool(options.databaseUrl);
  // As bytes: however many ask without reading, they are in memory once.
  const scrape = shareAnswer(async () => Buffer.from(await metrics.render(pool)), holdMs ?? METRICS_HOLD_MS);
  const readiness = shareAnswer(() => checkReadiness(pool, instance, new Date()), holdMs ?? READINESS_HOLDS_MS);
  const access = accessFor({ ...options, password: options.password, pool: pages });
  const server = createHttpServer({ trustedProxies, patienceMs });
  const ownNamesOnly: RouteShorthandOptions = {
    onRequest: async (request, reply) => {
      if (!isNameServed(access, request))
        return reply.code(403).send({ status: 'refused', reason: 'without a password it is served under names of the loopback only' });
    },
  };
  server.get('/healthz', async () => ({ status: 'alive' }));
  server.get('/readyz', ownNamesOnly, async (_, reply) => {
    const { isReady, checks } = await readiness();
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', checks });
  });
  server.get('/metrics', ownNamesOnly, async (_, reply) => reply.type(metrics.contentType).send(await scrape()));
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
      log,
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
