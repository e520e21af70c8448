// undici's connections to one origin, directly or through a proxy. A connection through a proxy counts as open only when its tunnel and the
// TLS inside it are, so the first bytes written to it belong to the request.
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { MAX_ANSWER_HEADER_BYTES } from '../core/byte-sizes.ts';
import { withoutInterim } from './interim-answers.ts';
import type { HttpProxy } from './route.ts';
import { connectToProxy, openTunnel } from './tunnel.ts';

export type PoolOptions = Readonly<{
  proxy: HttpProxy | undefined;
  connections: number;
  pipelining: 0 | 1;
  /** For TCP and TLS together; with a proxy, the same time for reaching it and again for the connection through it. */
  connectTimeoutMs: number;
}>;

/** https requests use a tunnel. http requests are sent to the proxy itself, because many proxies allow tunnels to port 443 only. */
export function openPool(origin: string, { proxy, connectTimeoutMs, ...given }: PoolOptions): Dispatcher {
  const options = { ...given, maxHeaderSize: MAX_ANSWER_HEADER_BYTES };
  if (!proxy) return new Pool(origin, { ...options, connect: withoutInterim(buildConnector({ timeout: connectTimeoutMs })) });
  if (new URL(origin).protocol === 'https:')
    return new Pool(origin, { ...options, connect: withoutInterim(tunnelTo(proxy, connectTimeoutMs)) });
  const connect: buildConnector.connector = (_, callback) => {
    connectToProxy(proxy, connectTimeoutMs).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
  const { authorization } = proxy;
  const own: Record<string, string> = authorization ? { 'proxy-authorization': authorization.reveal() } : {};
  return new Pool(origin, { ...options, connect: withoutInterim(connect) }).compose((dispatch) => (request, handler) => {
    const headers = { ...(request.headers as Record<string, string>), ...own };
    return dispatch({ ...request, path: `${origin}${request.path}`, headers }, handler);
  });
}

function tunnelTo(proxy: HttpProxy, timeoutMs: number): buildConnector.connector {
  const secure = buildConnector({ timeout: timeoutMs });
  return (target, callback) => {
    openTunnel(proxy, { host: target.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(target.port) || 443 }, timeoutMs).then(
      (socket) => secure({ ...target, httpSocket: socket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}
