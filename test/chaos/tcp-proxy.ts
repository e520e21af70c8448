// A TCP proxy that can be told to misbehave: cut every connection, refuse new ones, or swallow bytes both ways while the
// connections stay open, as a half-dead network does.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Destroys all connections; new ones are let through. */
  cut(): void;
  /** Lets nothing pass either way until `release`; connections stay open and new ones are accepted. */
  swallow(): void;
  /** Refuses new connections, and cuts those there are, until `release`. */
  refuse(): void;
  /** Behaves again. What was swallowed stays lost: connections of that time are cut. */
  release(): void;
  close(): Promise<void>;
}

export async function openProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let mood: 'fair' | 'swallow' | 'refuse' = 'fair';
  const cut = (): void => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  const server = createServer((near) => {
    if (mood === 'refuse') {
      near.destroy();
      return;
    }
    const far = connect(targetPort, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      near.destroy();
      far.destroy();
      pairs.delete(pair);
    };
    for (const [from, to] of [pair, [far, near]] as const) {
      from.on('data', (chunk: Buffer) => {
        if (mood !== 'swallow' && !to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
      from.on('error', end);
      from.on('close', () => {
        if (mood !== 'swallow') end();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    cut,
    swallow: () => {
      mood = 'swallow';
    },
    refuse: () => {
      mood = 'refuse';
      cut();
    },
    release: () => {
      if (mood === 'swallow') cut();
      mood = 'fair';
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
