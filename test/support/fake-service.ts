// A small HTTP server whose every answer is written by the test, down to the socket. For what no well-behaved server
// does; the sandbox is the well-behaved one.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export type ReceivedRequest = Readonly<{
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Of the socket it came by. */
  remotePort: number;
}>;

export type Respond = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

export interface FakeService {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Every request whose body was read, in order. */
  readonly received: ReceivedRequest[];
  /** Resolves when the client has closed every connection. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

export async function startFakeService(respond: Respond, tls?: { key: string; cert: string }): Promise<FakeService> {
  const received: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const server: Server = tls ? createSecureServer(tls) : createServer();
  server.on('request', async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request: ReceivedRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
      remotePort: incoming.socket.remotePort ?? 0,
    };
    received.push(request);
    await respond(response, request);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    allClosed: async () => {
      // Not events.once, which rejects when the client hangs up by a reset: closed is closed.
      await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
    close: async () => {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
