// A pooler as a client sees it: connections go through, what they ask for in `options` when they begin does not.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenAnywhere } from './free-port.ts';

export interface PoolerProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens in front of a Postgres on this machine, without TLS. */
export async function openPoolerProxy(targetPort: number): Promise<PoolerProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ port: targetPort, host: '127.0.0.1' });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    // pg sends its start-up message in one piece.
    near.once('data', (startup: Buffer) => {
      far.write(withoutOptions(startup));
      near.pipe(far);
    });
    far.pipe(near);
  });
  const port = await listenAnywhere(server);
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Length, protocol, then names and values, each ended by a zero byte, and one more. */
function withoutOptions(startup: Buffer): Buffer {
  const words = startup.subarray(8, -2).toString('utf8').split('\0');
  const kept = words.filter((_, at) => words[at - (at % 2)] !== 'options');
  const body = Buffer.from(`${kept.join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length);
  startup.copy(head, 4, 4, 8);
  return Buffer.concat([head, body]);
}
