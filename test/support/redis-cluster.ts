// A real Redis Cluster of three nodes without replicas, with a password, for one test. A node that is killed
// takes a third of the slots with it while the others go on; started again, it has them back, but no keys.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type RedisProcess, spawnRedis } from './redis-server.ts';
import { until } from './wait.ts';

const NODES = 3;
const SLOTS = 16_384;

export interface ClusterNode {
  readonly port: number;
  /** For the test's own questions; connects anew by itself. */
  readonly redis: Redis;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again, empty. Resolves when it takes part in the cluster. */
  start(): Promise<void>;
}

export interface RedisCluster {
  readonly nodes: readonly ClusterNode[];
  /** Of the node that a key belongs to. */
  nodeOf(key: string): Promise<ClusterNode>;
  stop(): Promise<void>;
}

export async function startRedisCluster(password: string): Promise<RedisCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'searchmill-redis-cluster-'));
  const nodes: ClusterNode[] = [];
  const stop = async (): Promise<void> => {
    for (const node of nodes) node.redis.disconnect();
    await Promise.all(nodes.map((node) => node.kill()));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    for (let index = 0; index < NODES; index++) nodes.push(await startNode(directory, password));
    await joinNodes(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    nodes,
    async nodeOf(key) {
      const slot = Number(await nodes[0]?.redis.cluster('KEYSLOT', key));
      const node = nodes.find((_, index) => slot < firstSlot(index + 1));
      if (!node) throw new Error(`no node has slot ${slot}`);
      return node;
    },
    stop,
  };
}

async function startNode(directory: string, password: string): Promise<ClusterNode> {
  const port = await freeClusterPort();
  const flags = [
    ...['--dir', directory, '--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${port}.conf`],
    ...['--cluster-node-timeout', '2000', '--cluster-require-full-coverage', 'no', '--requirepass', password, '--masterauth', password],
  ];
  let running: RedisProcess | undefined = await spawnRedis(port, flags);
  const redis = new Redis(port, '127.0.0.1', { password, retryStrategy: () => 200, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  return {
    port,
    redis,
    async kill() {
      await running?.stop();
      running = undefined;
    },
    async start() {
      running = await spawnRedis(port, flags);
      await untilJoined(redis);
    },
  };
}

const firstSlot = (index: number): number => Math.ceil((index * SLOTS) / NODES);

async function joinNodes(nodes: readonly ClusterNode[]): Promise<void> {
  for (const [index, { redis }] of nodes.entries()) {
    const slots = Array.from({ length: firstSlot(index + 1) - firstSlot(index) }, (_, offset) => firstSlot(index) + offset);
    await redis.cluster('ADDSLOTS', ...slots);
    await redis.cluster('SET-CONFIG-EPOCH', index + 1);
  }
  for (const { port } of nodes.slice(1)) await nodes[0]?.redis.cluster('MEET', '127.0.0.1', port);
  for (const { redis } of nodes) await untilJoined(redis);
}

async function untilJoined(redis: Redis): Promise<void> {
  await until('the cluster to be whole', async () => {
    const state = String(await redis.cluster('INFO'));
    return (
      state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${NODES}`) && state.includes(`cluster_slots_ok:${SLOTS}`)
    );
  });
}

/** Nodes talk to each other on their port + 10000: both must be free. */
async function freeClusterPort(): Promise<number> {
  for (;;) {
    const port = await portIfFree(0);
    if (port !== undefined && port + 10_000 < 65_536 && (await portIfFree(port + 10_000)) !== undefined) return port;
  }
}

function portIfFree(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(undefined))
      .listen(port, '127.0.0.1', () => {
        const address = probe.address();
        probe.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
      });
  });
}
