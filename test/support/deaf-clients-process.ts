// Clients that ask ahead and read nothing, in a process of their own, so that what they do keeps no test waiting. Argument: the options.
import { connect, type Socket } from 'node:net';
import type { DeafOptions } from './deaf-clients.ts';

const { url, clients, requests, maxConnections } = JSON.parse(process.argv[2] ?? '') as DeafOptions;
const { hostname, port } = new URL(url);
let opened = 0;
let closed = 0;

function open(): void {
  if (opened >= maxConnections) return;
  opened += 1;
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  const ask = (): void => {
    while (!socket.destroyed && socket.write(requests));
  };
  socket.on('connect', ask).on('drain', ask);
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closed += 1;
    open();
  });
}
for (let client = 0; client < clients; client += 1) open();
process.on('message', () => process.send?.(closed));
process.on('disconnect', () => process.exit());
process.send?.(closed);
