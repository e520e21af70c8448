// A TCP proxy that can be told to misbehave: cut every connection, refuse new ones, or swallow bytes both ways while the
// connections stay open and TCP acknowledges everything, as a half-dead network does.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenAnywhere } from '../support/free-port.ts';

export interface TcpProxy {
  readonly port: number;
  /** Destroys all connections; new ones are let through. */
  cut(): void;
  /** Lets nothing pass either way until `release`; connections stay open and new ones are accepted. */
  swallow(): void;
  /** Swallows everything on the connections there are, also that one side closes them, until `release`; new ones work. */
  strand(): void;
  /** Refuses new connections, and cuts those there are, until `release`. */
  refuse(): void;
  /** Behaves again. What was swallowed stays lost: connections of that time are cut. */
  release(): void;
  /** New connections go to another port; those there are stay. */
  leadTo(port: number): void;
  /** Connections to a port that their clients have not closed. */
  countTo(port: number): number;
  close(): Promise<void>;
}

type Pair = { readonly near: Socket; readonly far: Socket; readonly port: number; isStranded: boolean };

/** One for each port, which misbehave as one. */
export type TcpProxies = Omit<TcpProxy, 'port' | 'leadTo' | 'countTo'> & { portFor(target: number): number };

export async function openProxies(targetPorts: readonly number[]): Promise<TcpProxies> {
  const proxies = await Promise.all(targetPorts.map(openProxy));
  const all = (act: (proxy: TcpProxy) => void) => (): void => {
    for (const proxy of proxies) act(proxy);
  };
  return {
    portFor: (target) => proxies[targetPorts.indexOf(target)]?.port ?? 0,
    cut: all((proxy) => proxy.cut()),
    swallow: all((proxy) => proxy.swallow()),
    strand: all((proxy) => proxy.strand()),
    refuse: all((proxy) => proxy.refuse()),
    release: all((proxy) => proxy.release()),
    close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
  };
}

export async function openProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let port = targetPort;
  let mood: 'fair' | 'swallow' | 'refuse' = 'fair';
  const isDeaf = (pair: Pair): boolean => mood === 'swallow' || pair.isStranded;
  const end = (pair: Pair): void => {
    pair.near.destroy();
    pair.far.destroy();
    pairs.delete(pair);
  };
  const cut = (): void => {
    for (const pair of pairs) end(pair);
  };
  // Half-open, so that even the end of a connection gets no answer while everything is swallowed.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (mood === 'refuse') {
      near.destroy();
      return;
    }
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const pair: Pair = { near, far, port, isStranded: false };
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        if (!isDeaf(pair) && !to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
      from.on('end', () => {
        if (!isDeaf(pair)) to.end();
      });
      for (const event of ['error', 'close'] as const)
        from.on(event, () => {
          if (!isDeaf(pair)) end(pair);
        });
    }
  });
  const ownPort = await listenAnywhere(server);
  return {
    port: ownPort,
    cut,
    swallow: () => {
      mood = 'swallow';
    },
    strand: () => {
      for (const pair of pairs) pair.isStranded = true;
    },
    refuse: () => {
      mood = 'refuse';
      cut();
    },
    release: () => {
      for (const pair of pairs) if (isDeaf(pair)) end(pair);
      mood = 'fair';
    },
    leadTo: (next) => {
      port = next;
    },
    countTo: (to) => [...pairs].filter((pair) => pair.port === to && !pair.near.readableEnded).length,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
