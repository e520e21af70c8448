// Connections to a proxy, and through it by CONNECT. On a new connection, nothing has been sent to the target yet.
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { MAX_ANSWER_HEADER_BYTES } from '../core/byte-sizes.ts';
import { openDeadline } from '../core/deadline.ts';
import type { HttpProxy } from './route.ts';

/** The connection through a proxy failed, so nothing reached the target. The message begins with the proxy and contains no credential. */
export class ProxyError extends Error {}

export type Target = Readonly<{ host: string; port: number }>;

const UNTRUSTED = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|^ERR_TLS_CERT_ALTNAME_INVALID$/;
const NO_TLS = /^(ERR_SSL_|EPROTO$)/;

/** Opens a connection to the proxy itself. @throws ProxyError */
export async function connectToProxy(proxy: HttpProxy, timeoutMs: number): Promise<Socket> {
  const { host, port, isEncrypted } = proxy;
  const socket = isEncrypted ? connectTls({ host, port, ALPNProtocols: ['http/1.1'] }) : connect({ host, port });
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  await settle(proxy, socket, timeoutMs, (done) => socket.once(isEncrypted ? 'secureConnect' : 'connect', () => done()));
  return socket;
}

/** Opens a two-way connection through the proxy to `target`. @throws ProxyError */
export async function openTunnel(proxy: HttpProxy, target: Target, timeoutMs: number): Promise<Socket> {
  const socket = await connectToProxy(proxy, timeoutMs);
  const path = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  await settle(proxy, socket, timeoutMs, (done) => {
    const asked = request({
      method: 'CONNECT',
      path,
      headers: proxyHeaders(proxy, path),
      maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
      createConnection: () => socket,
    });
    asked.once('error', done);
    asked.once('connect', ({ statusCode = 0 }: IncomingMessage, _: Socket, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      done(
        statusCode >= 200 && statusCode < 300 ? undefined : new ProxyError(`${name(proxy)} ${describeRefusal(proxy, statusCode, path)}`),
      );
    });
    asked.end();
  });
  return socket;
}

/** Explains a 407: the proxy demands a credential, or refuses the given one. */
export function describeUnknownUser({ authorization, variable }: HttpProxy): string {
  return authorization
    ? `refuses the user and password of ${variable} (407); correct them`
    : `asks for a user and password (407); write ${variable}=http://user:password@host:port`;
}

const KEEP_ALIVE_MS = 60_000;

const name = (proxy: HttpProxy): string => `the proxy ${proxy.name}`;

function proxyHeaders({ authorization }: HttpProxy, host: string): Record<string, string> {
  return { host, 'user-agent': 'searchmill', ...(authorization && { 'proxy-authorization': authorization.reveal() }) };
}

/** Waits until `begin` has finished with the socket; destroys the socket on failure or timeout. */
async function settle(proxy: HttpProxy, socket: Socket, timeoutMs: number, begin: (done: (error?: Error) => void) => void): Promise<void> {
  using deadline = openDeadline(timeoutMs);
  // Never removed: an error between this wait and the next would otherwise be unhandled.
  socket.on('error', () => undefined);
  try {
    await new Promise<void>((resolve, reject) => {
      const done = (error?: Error): void => (error ? reject(error) : resolve());
      deadline.signal.addEventListener('abort', () => done(new ProxyError(`${name(proxy)} did not answer within ${timeoutMs} ms`)));
      socket.once('error', done);
      socket.once('close', () => done(new ProxyError(`${name(proxy)} closed the connection instead of answering`)));
      begin(done);
    });
  } catch (error) {
    socket.destroy();
    throw error instanceof ProxyError ? error : new ProxyError(`${name(proxy)} ${describeFailure(proxy, error as Error)}`);
  }
}

function describeRefusal(proxy: HttpProxy, status: number, target: string): string {
  if (status === 407) return describeUnknownUser(proxy);
  if (status >= 500) return `cannot reach ${target} (${status}); it is down, or the proxy has no route to it`;
  return `refuses connections to ${target} (${status}); ask its owner to allow them, or name the host in NO_PROXY`;
}

function describeFailure({ variable }: HttpProxy, error: Error): string {
  const { code = '' } = (error instanceof AggregateError ? error.errors[0] : error) as NodeJS.ErrnoException;
  if (UNTRUSTED.test(code)) return `shows no certificate that is trusted (${code}); trust its issuer by NODE_EXTRA_CA_CERTS`;
  if (NO_TLS.test(code)) return `does not speak TLS (${code}); write http:// in place of https:// in ${variable}`;
  if (code.startsWith('HPE_')) return `does not answer in HTTP (${code}); correct ${variable}`;
  if (code === 'ECONNRESET') return 'closed the connection instead of answering (ECONNRESET)';
  return `cannot be reached${code === '' ? '' : ` (${code})`}; correct ${variable}, or check the proxy`;
}
