// A real Redis Cluster of three primaries with a password, for one test, each with a replica or none. A node that is killed
// comes back empty: without a replica its third of the slots is away meanwhile, with one that takes its place.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type RedisNode, startRedisNode } from './redis-node.ts';
import { until } from './wait.ts';

const PRIMARIES = 3;
const SLOTS = 16_384;
/** Keys that move at once, so that a moving slot is in two places for a while. */
const KEYS_AT_ONCE = 3;

export interface RedisCluster {
  /** Those without a replica first. */
  readonly nodes: readonly RedisNode[];
  /** The primary that has a key's slot now, by the word of the others. */
  nodeOf(key: string): Promise<RedisNode>;
  /** Of all that are primaries by their own word. */
  primaries(): Promise<RedisNode[]>;
  /** Makes a replica of the key's primary take its place, though that is well. */
  failOver(key: string): Promise<void>;
  /** Moves the key's slot to another primary, a few keys at a time with `pauseMs` between. */
  moveSlotOf(key: string, pauseMs: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedisCluster(password: string, hasReplicas = false): Promise<RedisCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'searchmill-redis-cluster-'));
  const nodes: RedisNode[] = [];
  const stop = async (): Promise<void> => {
    for (const node of nodes) node.redis.disconnect();
    await Promise.all(nodes.map((node) => node.kill()));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    for (let index = 0; index < (hasReplicas ? 2 * PRIMARIES : PRIMARIES); index++) {
      const port = await freeClusterPort();
      const flags = ['--dir', directory, '--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${port}.conf`];
      const own = ['--cluster-node-timeout', '2000', '--cluster-require-full-coverage', 'no', '--cluster-replica-validity-factor', '0'];
      nodes.push(await startRedisNode(port, password, [...flags, ...own]));
    }
    await joinNodes(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  const slotOf = async (key: string): Promise<number> => Number(await nodes[0]?.redis.cluster('KEYSLOT', key));
  const roleOf = async ({ redis }: RedisNode): Promise<string> => String(await Promise.race([redis.info('replication'), delay(1_000, '')]));
  const primaries = async (): Promise<RedisNode[]> => {
    const roles = await Promise.all(nodes.map(roleOf));
    return nodes.filter((_, index) => roles[index]?.includes('role:master'));
  };
  const nodeOf = async (key: string): Promise<RedisNode> => {
    const slot = await slotOf(key);
    for (const { redis } of nodes) {
      const ranges = await Promise.race([redis.cluster('SLOTS'), delay(1_000, undefined)]);
      const found = (ranges as [number, number, [string, number]][] | undefined)?.find(([first, last]) => first <= slot && slot <= last);
      const node = nodes.find(({ port }) => port === found?.[2][1]);
      if (node) return node;
    }
    throw new Error(`no node has slot ${slot}`);
  };
  const idOf = async ({ redis }: RedisNode): Promise<string> => String(await redis.cluster('MYID'));
  return {
    nodes,
    nodeOf,
    primaries,
    async failOver(key) {
      const from = await nodeOf(key);
      const id = await idOf(from);
      for (const { redis } of nodes) {
        const info = await Promise.race([redis.cluster('NODES'), delay(1_000, '')]);
        if (
          String(info)
            .split('\n')
            .some((line) => line.includes('myself,slave') && line.includes(id))
        ) {
          await redis.cluster('FAILOVER');
          return;
        }
      }
      throw new Error('that primary has no replica');
    },
    async moveSlotOf(key, pauseMs) {
      const slot = await slotOf(key);
      const from = await nodeOf(key);
      const to = (await primaries()).find((node) => node !== from);
      if (!to) throw new Error('there is no other primary');
      const [fromId, toId] = [await idOf(from), await idOf(to)];
      await to.redis.cluster('SETSLOT', slot, 'IMPORTING', fromId);
      await from.redis.cluster('SETSLOT', slot, 'MIGRATING', toId);
      for (;;) {
        await delay(pauseMs);
        const keys = (await from.redis.call('CLUSTER', 'GETKEYSINSLOT', slot, KEYS_AT_ONCE)) as string[];
        if (keys.length === 0) break;
        await from.redis.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'AUTH', password, 'KEYS', ...keys);
      }
      for (const node of [to, from]) await node.redis.cluster('SETSLOT', slot, 'NODE', toId);
    },
    stop,
  };
}

const firstSlot = (index: number): number => Math.ceil((index * SLOTS) / PRIMARIES);

async function joinNodes(nodes: readonly RedisNode[]): Promise<void> {
  for (const [index, { redis }] of nodes.slice(0, PRIMARIES).entries()) {
    const slots = Array.from({ length: firstSlot(index + 1) - firstSlot(index) }, (_, offset) => firstSlot(index) + offset);
    await redis.cluster('ADDSLOTS', ...slots);
    await redis.cluster('SET-CONFIG-EPOCH', index + 1);
  }
  for (const { port } of nodes.slice(1)) await nodes[0]?.redis.cluster('MEET', '127.0.0.1', port);
  for (const node of nodes) await untilJoined(node, nodes.length);
  for (const [index, replica] of nodes.slice(PRIMARIES).entries()) {
    await replica.redis.cluster('REPLICATE', String(await nodes[index]?.redis.cluster('MYID')));
    await until('it to replicate', async () => (await replica.redis.info('replication')).includes('master_link_status:up'));
  }
}

/** Resolves when a node sees a whole cluster. */
export async function untilJoined({ redis }: RedisNode, count = PRIMARIES): Promise<void> {
  await until('the cluster to be whole', async () => {
    const state = String(await redis.cluster('INFO'));
    return (
      state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${count}`) && state.includes(`cluster_slots_ok:${SLOTS}`)
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
