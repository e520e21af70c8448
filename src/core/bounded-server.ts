// An HTTP server that its clients cannot exhaust: it allows many connections, and closes the least useful ones for new ones. A client
// that sends nothing, sends too slowly, pipelines without end or does not read its answers loses its connection.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { KIBIBYTE } from './byte-sizes.ts';
import { SECOND } from './clock.ts';

/** Open connections. A new one is always accepted, so health checks are answered however many connections others keep open. */
const MAX_CONNECTIONS = 256;
/** The same, counting also those without a request yet and those that wait for our answer. */
const MAX_WITH_NEW = 1_024;
/** Pending requests of one connection; they are answered one after another. */
const MAX_PIPELINED = 8;
/** A request must be complete within this time; a connection without a request is closed after it. */
const PATIENCE_MS = 5 * SECOND;
/**
 * Largest headers of a request. A browser sends the cookies of all services of a host, and proxies that log people in add tokens. Node's
 * 16 KiB are fewer than either may be. All connections together can make us hold 64 MiB.
 */
const MAX_REQUEST_HEADER_BYTES = 64 * KIBIBYTE;
/** How long a written answer may wait to be read, in patiences. */
const UNREAD_PATIENCES = 4;

type Asked = Readonly<{ request: IncomingMessage; answer: () => void }>;

type Connection = {
  readonly socket: Socket;
  /** Requests without a complete answer; the first is being answered. */
  readonly asked: Asked[];
  /** When it was opened, an answer ended or some of one was read. */
  stillSince: number;
  /** Bytes that the other side, or its and our kernels, have taken. */
  taken: number;
  hasAsked: boolean;
};

export type Bounds = Readonly<{
  /** For tests that cannot wait. */
  patienceMs?: number;
  /** How long a connection may be idle between requests; the patience when not given. */
  keepAliveMs?: number;
}>;

export function createBoundedServer(
  listener: RequestListener,
  { patienceMs = PATIENCE_MS, keepAliveMs = patienceMs }: Bounds = {},
): Server {
  const connections = new Map<Socket, Connection>();
  const checkEveryMs = patienceMs / 5;
  const limits = {
    keepAliveTimeout: keepAliveMs,
    requestTimeout: patienceMs,
    headersTimeout: patienceMs,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: MAX_REQUEST_HEADER_BYTES,
  };
  const close = ({ socket }: Connection): void => {
    connections.delete(socket);
    socket.destroy();
  };

  const server = createServer(limits, (request, response) => {
    const connection = connections.get(request.socket);
    // Data sent before its connection was closed is still parsed.
    if (!connection) return;
    const { asked } = connection;
    if (asked.length >= MAX_PIPELINED) return close(connection);
    connection.hasAsked = true;
    asked.push({ request, answer: () => listener(request, response) });
    response.once('close', () => {
      asked.shift();
      connection.stillSince = performance.now();
      if (!request.socket.destroyed) asked[0]?.answer();
    });
    if (asked.length === 1) asked[0]?.answer();
  });

  let isMakingRoom = false;
  const makeRoom = (): void => {
    isMakingRoom = false;
    for (const connection of findLeastUseful([...connections.values()])) close(connection);
  };
  server.on('connection', (socket) => {
    const connection = { socket, asked: [], stillSince: performance.now(), taken: 0, hasAsked: false };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    socket.prependListener('data', (bytes: Buffer) => {
      if (!isFlood(bytes)) return;
      // The parser would read them all, though their connection is closed: 64 KiB hold two thousand, which would block everyone.
      bytes.fill(0);
      close(connection);
    });
    if (connections.size <= MAX_CONNECTIONS || isMakingRoom) return;
    // Once for all that arrive at the same time.
    isMakingRoom = true;
    setImmediate(makeRoom);
  });

  // Fires when nothing was sent or received for that long, also after an answer if no further request comes.
  server.setTimeout(UNREAD_PATIENCES * patienceMs, (socket) => {
    if (socket.writableLength > 0 || connections.get(socket)?.asked.length === 0) socket.destroy();
  });
  const check = setInterval(() => {
    makeRoom();
    if (server.listening) return;
    // A closing server waits only for its own answers.
    for (const connection of connections.values()) if (!isOurTurn(connection)) close(connection);
  }, checkEveryMs).unref();
  server.on('close', () => clearInterval(check));
  return server;
}

/**
 * The end of a request's first line. The line may begin where a body before it has ended. Neither a form nor JSON has one in it: ends of
 * lines are encoded there.
 */
const REQUEST_LINE = / HTTP\/1\.\d\r?\n/g;

/** Whether more requests are sent at once than may wait. */
function isFlood(bytes: Buffer): boolean {
  return (bytes.toString('latin1').match(REQUEST_LINE) ?? []).length > MAX_PIPELINED;
}

function noteTaken(connection: Connection): void {
  const taken = connection.socket.bytesWritten - connection.socket.writableLength;
  if (taken === connection.taken) return;
  connection.taken = taken;
  connection.stillSince = performance.now();
}

/** Whether the client has done its part: its request is there, and it has read what was written. */
function isOurTurn({ socket, asked: [first] }: Connection): boolean {
  return first?.request.complete === true && socket.writableLength === 0;
}

/** The connections to close: of each kind those beyond its limit, the longest idle first. */
function findLeastUseful(connections: readonly Connection[]): readonly Connection[] {
  if (connections.length <= MAX_CONNECTIONS) return [];
  const idle: Connection[] = [];
  const fresh: Connection[] = [];
  const ours: Connection[] = [];
  for (const connection of connections) {
    noteTaken(connection);
    if (isOurTurn(connection)) ours.push(connection);
    else if (!connection.hasAsked) fresh.push(connection);
    else idle.push(connection);
  }
  for (const kind of [idle, fresh, ours]) kind.sort((a, b) => a.stillSince - b.stillSince);
  return [
    ...idle.slice(0, connections.length - MAX_CONNECTIONS),
    ...[...fresh, ...ours].slice(0, Math.max(0, connections.length - idle.length - MAX_WITH_NEW)),
  ];
}
