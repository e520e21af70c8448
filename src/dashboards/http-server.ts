// The HTTP server of health, metrics and dashboards.
import Fastify, { type FastifyInstance } from 'fastify';
import { createBoundedServer } from '../core/bounded-server.ts';
import { ConfigurationError, describeError } from '../core/errors.ts';

/** Ports that are tried after the first. */
const MAX_NEXT_PORTS = 20;

export type HttpServerOptions = Readonly<{
  /** Addresses of proxies whose word for the client's address and protocol is taken. */
  trustedProxies?: readonly string[] | undefined;
  /** For tests that cannot wait. */
  patienceMs?: number | undefined;
}>;

export function createHttpServer({ trustedProxies = [], patienceMs }: HttpServerOptions = {}): FastifyInstance {
  return Fastify({
    logger: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    serverFactory: (listener) => createBoundedServer(listener, patienceMs === undefined ? {} : { patienceMs }),
  });
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
