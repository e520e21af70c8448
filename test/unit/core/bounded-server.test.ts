import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createBoundedServer } from '../../../src/core/bounded-server.ts';

const PATIENCE_MS = 100;
const LARGE = Buffer.alloc(32 * 1024 * 1024);
const ask = (path: string, version = '1.1', more = ''): string => `GET ${path} HTTP/${version}\r\nHost: x\r\n${more}\r\n`;

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  patienceMs = PATIENCE_MS,
): Promise<() => Socket> {
  const server = createBoundedServer(answer, { patienceMs }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    sockets.add(socket);
    return socket;
  };
}

/** Also with a reset, which `once` would throw. */
const untilClosed = (socket: Socket): Promise<unknown> => new Promise((resolve) => void socket.once('close', resolve));

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket.setEncoding('latin1')) text += bytes;
  return text;
}

it('answers requests that come together one after another, in their order', async () => {
  let atOnce = 0;
  let mostAtOnce = 0;
  const open = await serve((request, response) => {
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    setImmediate(() => {
      atOnce -= 1;
      response.end(`<${request.url}>`);
    });
  });
  const socket = open();
  socket.write(ask('/a') + ask('/b') + ask('/c', '1.1', 'Connection: close\r\n'));
  expect((await readAll(socket)).match(/<.*?>/g)).toEqual(['</a>', '</b>', '</c>']);
  expect(mostAtOnce).toBe(1);
});

it('closes a connection on which more is asked than may wait, together or bit by bit', async () => {
  const asked: string[] = [];
  const open = await serve(({ url = '' }) => void asked.push(url));
  for (const requests of [ask('/flood'), 'POST /flood HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\na=b&']) {
    const flood = open();
    flood.resume().write(requests.repeat(2_000));
    await untilClosed(flood);
    expect(asked).toEqual([]);
  }
  const steady = open();
  steady.resume();
  const writing = setInterval(() => steady.write(ask('/bit')), 1);
  await untilClosed(steady);
  clearInterval(writing);
  expect(asked).toEqual(['/bit']);
});

it('reads a body that has the text of requests in it', async () => {
  const open = await serve((request, response) => {
    let size = 0;
    request.on('data', (bytes: Buffer) => (size += bytes.length)).once('end', () => response.end(`<${size}>`));
  });
  const body = 'They answered "GET /a HTTP/1.1" with 503. '.repeat(20);
  const socket = open();
  socket.write(`POST /note HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  expect(await readAll(socket)).toContain(`<${body.length}>`);
});

it('closes a connection whose answer nobody reads, and none whose answer is read slowly', async () => {
  const ends: string[] = [];
  const open = await serve((request, response) => {
    response.once('close', () => ends.push(request.url ?? '')).end(LARGE);
  }, 5 * PATIENCE_MS);
  open().pause().write(ask('/deaf'));
  const slow = open();
  slow.write(ask('/slow', '1.1', 'Connection: close\r\n'));
  for await (const _ of slow) await new Promise(setImmediate);
  expect(slow.bytesRead).toBeGreaterThan(LARGE.length);
  // The client has read nothing, and has not closed the connection itself.
  await expect.poll(() => ends).toContain('/deaf');
});

it.each([
  ['HTTP/1.0', ask('/', '1.0'), /^HTTP\/1\.1 200 /],
  // Longer than the 16 KiB that Node reads, short enough to come at once: Node 24 resets a connection that has more to read.
  ['a huge address', ask(`/${'x'.repeat(70 * 1024)}`), /^HTTP\/1\.1 431 /],
  ['OPTIONS of everything', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 200 /],
  ['headers that never end', 'GET / HTTP/1.1\r\nX-Slow: ', /^HTTP\/1\.1 408 /],
  ['a body that never comes', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n', /^HTTP\/1\.1 408 /],
  ['what is no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
])('ends a connection after %s', async (_, request, answer) => {
  const open = await serve((asked, response) => void asked.resume().on('end', () => response.end('done')));
  const socket = open();
  socket.write(request);
  expect(await readAll(socket)).toMatch(answer);
});

it('accepts a new connection, however many silent ones are open', async () => {
  const open = await serve((_, response) => response.end('done'));
  const idle = Array.from({ length: 300 }, open);
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  for (const socket of idle) socket.resume().write(ask('/'));
  const last = open();
  last.write(ask('/', '1.1', 'Connection: close\r\n'));
  expect(await readAll(last)).toMatch(/^HTTP\/1\.1 200 /);
});

it('reads headers of 60 KiB, as of a browser with the cookies of many services, and refuses those that are larger', async () => {
  const open = await serve((_, response) => void response.end('read'));
  const cookies = (size: number): string => `Connection: close\r\nCookie: ${'c'.repeat(size)}\r\n`;
  const [read, refused] = [open(), open()];
  read.write(ask('/', '1.1', cookies(60 * 1024)));
  refused.write(ask('/', '1.1', cookies(70 * 1024)));
  expect(await readAll(read)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await readAll(refused)).toMatch(/^HTTP\/1\.1 431 /);
});
