// TLS in front of a server on this machine that speaks none, as a gateway has it.
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Certificate } from './self-signed-certificate.ts';

export type TlsDoor = Readonly<{ port: number; close: () => Promise<void> }>;

export async function openTlsDoor(port: number, certificate: Certificate): Promise<TlsDoor> {
  const sockets = new Set<Socket>();
  const door = createServer({ key: certificate.key, cert: certificate.cert }, (near) => {
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .once('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  // A connection that is cut before its handshake is over is no business of the door's.
  door.on('tlsClientError', () => undefined);
  await once(door, 'listening');
  return {
    port: (door.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      door.close();
    },
  };
}
