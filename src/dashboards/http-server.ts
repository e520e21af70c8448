// The HTTP server of health, metrics and dashboards: whoever keeps a connection without asking loses it.
import Fastify, { type FastifyInstance } from 'fastify';
import { SECOND } from '../core/clock.ts';
import { ConfigurationError, describeError } from '../core/errors.ts';

const MAX_CLIENTS = 128;
/** A request has to be there within this, and a connection without one is closed after it. */
const PATIENCE_MS = 5 * SECOND;
/** Ports that are tried after the first. */
const MAX_NEXT_PORTS = 20;

export function createHttpServer(patienceMs: number = PATIENCE_MS): FastifyInstance {
  const server = Fastify({
    logger: false,
    keepAliveTimeout: patienceMs,
    requestTimeout: patienceMs,
    http: { headersTimeout: patienceMs, connectionsCheckingInterval: patienceMs / 5 },
  });
  server.server.maxConnections = MAX_CLIENTS;
  return server;
}

export type Address = Readonly<{
  host: string;
  port: number;
  /** True: where the port is taken, the next free one above it. */
  mayMoveUp?: boolean;
}>;

/** Begins to listen and returns the URL. Throws ConfigurationError, which begins with `what`, when the address cannot be listened on. */
export async function listen(server: FastifyInstance, { host, port, mayMoveUp = false }: Address, what: string): Promise<string> {
  const last = mayMoveUp && port > 0 ? port + MAX_NEXT_PORTS : port;
  for (let tried = port; ; tried += 1) {
    try {
      return await server.listen({ host, port: tried });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE' && tried < last) continue;
      throw new ConfigurationError(`${what} cannot be served on ${host}:${tried}: ${describeError(error)}; set OPS_HOST and OPS_PORT`, {
        cause: error,
      });
    }
  }
}
