// The HTTP server for health, metrics and dashboards.

import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { createBoundedServer } from '../core/bounded-server.ts';
import { readForwardedAddress } from '../core/client-address.ts';
import { ConfigurationError, describeError } from '../core/errors.ts';
import { type BasePath, takeBasePath } from './base-path.ts';

/** Number of ports tried after the first one. */
const MAX_NEXT_PORTS = 20;

export type HttpServerOptions = Readonly<{
  /** Addresses of proxies whose headers for the client's address and protocol are trusted. */
  trustedProxies?: readonly string[] | undefined;
  /** The path below which everything is served as well as without it. */
  basePath?: BasePath | undefined;
  /** Only for tests: a shorter patience of the server. */
  patienceMs?: number | undefined;
}>;

export function createHttpServer({ trustedProxies = [], basePath = '', patienceMs }: HttpServerOptions = {}): FastifyInstance {
  return Fastify({
    logger: false,
    rewriteUrl: ({ url = '/' }) => takeBasePath(url, basePath),
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    serverFactory: (listener) =>
      createBoundedServer(
        (request, response) => {
          clearForwarded(request);
          listener(request, response);
        },
        patienceMs === undefined ? {} : { patienceMs },
      ),
  });
}

/**
 * Puts what proxies forward into the one form that Fastify reads: addresses without ports, of which it would take each for a client of its
 * own; and of the protocol that of the proxy nearest to the client, in lower case.
 */
function clearForwarded({ headers }: IncomingMessage): void {
  const { 'x-forwarded-for': addresses, 'x-forwarded-proto': protocols } = headers;
  if (addresses !== undefined) headers['x-forwarded-for'] = String(addresses).split(',').map(readForwardedAddress).join(', ');
  if (protocols !== undefined) headers['x-forwarded-proto'] = String(protocols).split(',')[0]?.trim().toLowerCase();
}

export type Address = Readonly<{
  host: string;
  port: number;
  /** If true and the port is in use, the next ports above it are tried. */
  mayMoveUp?: boolean;
}>;

/** Starts to listen and returns the URL. Throws ConfigurationError when that fails; its message starts with `what`. */
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
