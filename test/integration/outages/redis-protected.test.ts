// A Redis in protected mode, which lets in clients of its own machine only. A server that says what Redis says, since all clients of a test
// are on this machine.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { findQueueRefusal } from '../../support/queue-refusal.ts';

/** The beginning of the refusal of Redis 7, a line. */
const DENIED =
  '-DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user. In this mode ' +
  'connections are only accepted from the loopback interface.\r\n';

let server: Server | undefined;
afterEach(() => server?.close());

async function startServer(onConnection: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => onConnection(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  // As Redis does it: the refusal answers the first command, if it is read in time.
  ['before the first command', (socket: Socket) => void socket.end(DENIED)],
  ['as the answer to the first command', (socket: Socket) => void socket.once('data', () => socket.end(DENIED))],
])('check says what to set when the refusal comes %s', async (_when, refuse) => {
  const address = await startServer(refuse);
  const said = await findQueueRefusal(address);
  expect(said).toMatch(/only local clients while it has no password.*requirepass/);
});
