// Health and metrics over HTTP, for load balancers, container engines and Prometheus. Reads only; nothing here changes
// anything, and it listens on the loopback unless configured otherwise.
import Fastify from 'fastify';
import { ConfigurationError, describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Instance } from '../queue/instance.ts';
import type { Pool } from '../warehouse/pool.ts';
import { checkReadiness } from './health.ts';
import type { Metrics } from './metrics.ts';

export type OpsOptions = Readonly<{ host: string; port: number; pool: Pool; instance: Instance; metrics: Metrics; log: Logger }>;

export interface OpsServer {
  /** Where it listens. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves /healthz, /readyz and /metrics. Throws ConfigurationError when the address cannot be listened on. */
export async function startOpsServer({ host, port, pool, instance, metrics, log }: OpsOptions): Promise<OpsServer> {
  const server = Fastify({ logger: false });
  server.get('/healthz', async () => ({ status: 'alive' }));
  server.get('/readyz', async (_, reply) => {
    const { isReady, checks } = await checkReadiness(pool, instance, new Date());
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', checks });
  });
  server.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.render(pool)));
  server.setErrorHandler((error, _, reply) => reply.code(503).send({ status: 'failed', reason: describeError(error) }));
  try {
    const url = await server.listen({ host, port });
    log.info({ url }, 'health and metrics');
    return { url, close: () => server.close() };
  } catch (error) {
    throw new ConfigurationError(
      `health and metrics cannot be served on ${host}:${port}: ${describeError(error)}; set OPS_HOST and OPS_PORT`,
      { cause: error },
    );
  }
}
