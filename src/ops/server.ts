// Health and metrics over HTTP, for load balancers, container engines and Prometheus. Reads only; nothing here changes
// anything, and it listens on the loopback unless configured otherwise. However many ask, the ledger is asked once, over
// connections of its own, and whoever keeps a connection without asking loses it.
import Fastify from 'fastify';
import { SECOND } from '../core/clock.ts';
import { closing } from '../core/closing.ts';
import { ConfigurationError, describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Secret } from '../core/secret.ts';
import type { Instance } from '../queue/instance.ts';
import { createPool } from '../warehouse/pool.ts';
import { checkReadiness } from './health.ts';
import type { Metrics } from './metrics.ts';
import { shareAnswer } from './shared-answer.ts';

/** One for metrics, whose statements come one after another, and one for readiness. */
export const OPS_CONNECTIONS = 2;
/** A scrape is the same for all who come within this. */
const METRICS_HOLD_MS = 5 * SECOND;
const READINESS_HOLDS_MS = SECOND;
const MAX_CLIENTS = 128;
/** A request has to be there within this, and a connection without one is closed after it. */
const PATIENCE_MS = 5 * SECOND;

export type OpsOptions = Readonly<{
  host: string;
  port: number;
  databaseUrl: Secret;
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

/** Serves /healthz, /readyz and /metrics. Throws ConfigurationError when the address cannot be listened on. */
export async function startOpsServer(options: OpsOptions): Promise<OpsServer & AsyncDisposable> {
  const { host, port, instance, metrics, log, patienceMs = PATIENCE_MS, holdMs } = options;
  const pool = createPool(options.databaseUrl, { applicationName: 'searchmill ops', max: OPS_CONNECTIONS });
  const scrape = shareAnswer(() => metrics.render(pool), holdMs ?? METRICS_HOLD_MS);
  const readiness = shareAnswer(() => checkReadiness(pool, instance, new Date()), holdMs ?? READINESS_HOLDS_MS);
  const server = Fastify({
    logger: false,
    keepAliveTimeout: patienceMs,
    requestTimeout: patienceMs,
    http: { headersTimeout: patienceMs, connectionsCheckingInterval: patienceMs / 5 },
  });
  server.server.maxConnections = MAX_CLIENTS;
  server.get('/healthz', async () => ({ status: 'alive' }));
  server.get('/readyz', async (_, reply) => {
    const { isReady, checks } = await readiness();
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', checks });
  });
  server.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await scrape()));
  server.setErrorHandler((error, _, reply) => reply.code(503).send({ status: 'failed', reason: describeError(error) }));
  const close = async (): Promise<void> => {
    await server.close();
    await pool.end();
  };
  try {
    const url = await server.listen({ host, port });
    log.info({ url }, 'health and metrics');
    return closing({ url, close }, close);
  } catch (error) {
    await close();
    throw new ConfigurationError(
      `health and metrics cannot be served on ${host}:${port}: ${describeError(error)}; set OPS_HOST and OPS_PORT`,
      { cause: error },
    );
  }
}
