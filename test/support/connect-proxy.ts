// A proxy as companies have them: CONNECT to a tunnel, whole addresses of http, a user and password if wished. All names lead to this
// machine, to the ports that it was told. It can be made to refuse, to hang, to be away and to come back.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificate } from './self-signed-certificate.ts';

export type ConnectProxyOptions = Readonly<{
  /** Ports of this machine by `host:port`. */
  leads: Readonly<Record<string, number>>;
  /** `user:password`, without which nothing is let through. */
  credential?: string;
  /** The proxy itself speaks TLS. */
  tls?: Certificate;
  port?: number;
}>;

export interface ConnectProxy {
  readonly port: number;
  /** `host:port`, without scheme. */
  readonly address: string;
  /** What was asked, in order: `CONNECT host:443`, `POST http://host/path`. */
  readonly asked: string[];
  /** Answers all that is asked from now on in place of the proxy; undefined: it does its work. */
  answer: ((client: Duplex, asked: string) => void | Promise<void>) | undefined;
  /** Cuts all there is; new connections work. */
  cut(): void;
  /** Nobody listens at its port until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Answers whatever is asked with a status, and closes. */
export const refuseWith =
  (status: string) =>
  (client: Duplex): void =>
    void client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);

export async function startConnectProxy({ leads, credential, tls, port = 0 }: ConnectProxyOptions): Promise<ConnectProxy> {
  const sockets = new Set<Duplex>();
  const asked: string[] = [];
  let ownPort = port;
  let server: Server | undefined;
  const keep = <S extends Duplex>(socket: S): S => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    return socket;
  };
  /** True when the request was answered in place of being led on. */
  const isAnswered = async (client: Duplex, incoming: IncomingMessage): Promise<boolean> => {
    const what = `${incoming.method} ${incoming.url}`;
    asked.push(what);
    const wanted = credential && `Basic ${Buffer.from(credential).toString('base64')}`;
    if (wanted && incoming.headers['proxy-authorization'] !== wanted) {
      refuseWith('407 Proxy Authentication Required')(client);
      return true;
    }
    // It may have been told to hold on, and then to lead on after all.
    const { answer } = proxy;
    await answer?.(client, what);
    return client.destroyed || client.writableEnded || (answer !== undefined && proxy.answer === answer);
  };

  async function lead(incoming: IncomingMessage, near: Duplex, head: Buffer): Promise<void> {
    keep(near);
    if (await isAnswered(near, incoming)) return;
    const to = leads[incoming.url ?? ''];
    if (to === undefined) return refuseWith('502 Bad Gateway')(near);
    const far = keep(connect(to, '127.0.0.1'));
    far.once('connect', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.write(head);
      near.pipe(far).pipe(near);
    });
    far.once('error', () => refuseWith('502 Bad Gateway')(near));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.once('close', () => other.destroy());
  }

  const proxy: ConnectProxy = {
    get port() {
      return ownPort;
    },
    get address() {
      return `127.0.0.1:${ownPort}`;
    },
    asked,
    answer: undefined,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      const stopping = server;
      server = undefined;
      if (!stopping) return;
      proxy.cut();
      stopping.close();
      stopping.closeAllConnections();
      await once(stopping, 'close');
    },
    async start() {
      if (server) return;
      server = tls ? createSecureServer(tls) : createServer();
      server.on('connection', (socket: Socket) => keep(socket));
      server.on('connect', (incoming: IncomingMessage, near: Duplex, head: Buffer) => void lead(incoming, near, head));
      server.on('request', async (incoming, response) => {
        if (await isAnswered(incoming.socket, incoming)) return;
        const { host, pathname, search } = new URL(incoming.url ?? '');
        const to = leads[host.includes(':') ? host : `${host}:80`];
        const { 'proxy-authorization': _, ...headers } = incoming.headers as OutgoingHttpHeaders;
        const fail = (): void => void response.writeHead(502).end();
        if (to === undefined) return fail();
        const options = { host: '127.0.0.1', port: to, method: incoming.method, path: pathname + search, headers };
        const onward = request(options, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        onward.on('error', fail);
        incoming.pipe(onward);
      });
      server.listen(ownPort, '127.0.0.1');
      await once(server, 'listening');
      ownPort = (server.address() as AddressInfo).port;
    },
    close: () => proxy.stop(),
  };
  await proxy.start();
  return proxy;
}
