// The Redis of a chaos run: one server, also with TLS, client certificates and a user with no more than the documented rights; one that
// Sentinels watch with two replicas; or a cluster with a replica for each primary.
// Processes reach each server through a proxy of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisCluster, startRedisCluster } from '../support/redis-cluster.ts';
import type { RedisNode } from '../support/redis-node.ts';
import { documentedRule } from '../support/redis-rule.ts';
import { PRIMARY_NAME, startWatchedRedis } from '../support/redis-sentinel.ts';
import { createSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { startChaosRedis } from './servers.ts';

export const REDIS_KINDS = ['single', 'secured', 'sentinel', 'cluster'] as const;
export type RedisKind = (typeof REDIS_KINDS)[number];

/** What can be done to any of them; what it does to several, it does to the one that has the queue. */
export interface ChaosRedis {
  readonly kind: RedisKind;
  readonly ports: readonly number[];
  /** REDIS_URL for those who reach each port by another. */
  urlThrough(outside: (port: number) => number): string;
  flush(): Promise<void>;
  /** Refuses writes, as a full Redis does, until `relieve`. */
  fill(): Promise<void>;
  relieve(): Promise<void>;
  /** kill -9; `start` brings an empty one. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Neither answers nor ends until `wake`. */
  hang(): Promise<void>;
  wake(): Promise<void>;
  /** Another one takes its place; undefined where there is no other. */
  readonly failOver: (() => Promise<void>) | undefined;
  /** Another one gets its slot, key by key; undefined where there are no slots. */
  readonly moveSlot: (() => Promise<void>) | undefined;
  stop(): Promise<void>;
}

const PASSWORD = 'chaos-password';
const USER_PASSWORD = 'chaos-user-password';
const SENTINEL_PASSWORD = 'chaos-sentinel-password';
const HOST = '127.0.0.1';

export async function startRedisOfKind(kind: RedisKind): Promise<ChaosRedis> {
  if (kind === 'sentinel') return startSentinel();
  if (kind === 'cluster') return startCluster();
  if (kind === 'secured') return startSecured();
  const server = await startChaosRedis();
  return { ...oneServer(server), kind, urlThrough: (outside) => `redis://${HOST}:${outside(server.port)}` };
}

const oneServer = (server: Awaited<ReturnType<typeof startChaosRedis>>) => ({
  ...server,
  ports: [server.port],
  failOver: undefined,
  moveSlot: undefined,
});

async function startSecured(): Promise<ChaosRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-chaos-certificates-'));
  const [server, client] = [createSelfSignedCertificate(), createSelfSignedCertificate()];
  const fileOf = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [ca, cert, key] = [fileOf('server.pem', server.cert), fileOf('client.pem', client.cert), fileOf('client.key', client.key)];
  const presented = ['--tls-cert-file', ca, '--tls-key-file', fileOf('server.key', server.key)];
  const asked = ['--tls-ca-cert-file', cert, '--tls-auth-clients', 'yes'];
  const users = ['--requirepass', PASSWORD, '--user', 'searchmill', ...documentedRule(USER_PASSWORD)];
  const redis = await startChaosRedis({
    tls: { ca: server.cert, cert: client.cert, key: client.key },
    flags: [...presented, ...asked, ...users],
    password: PASSWORD,
  });
  return {
    ...oneServer(redis),
    kind: 'secured',
    urlThrough: (outside) =>
      `rediss://searchmill:${USER_PASSWORD}@${HOST}:${outside(redis.port)}?sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`,
    async stop() {
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startSentinel(): Promise<ChaosRedis> {
  const watched = await startWatchedRedis({ password: PASSWORD, sentinelPassword: SENTINEL_PASSWORD });
  return {
    ...severalNodes(watched.servers, watched.primary),
    kind: 'sentinel',
    urlThrough(outside) {
      const sentinels = watched.sentinelPorts.map((port) => `${HOST}:${port}`).join(',');
      return `redis+sentinel://:${PASSWORD}@${sentinels}/${PRIMARY_NAME}?sentinel_password=${SENTINEL_PASSWORD}&${natMapOf(watched.servers, outside)}`;
    },
    failOver: () => watched.failOver(),
    moveSlot: undefined,
    stop: () => watched.stop(),
  };
}

async function startCluster(): Promise<ChaosRedis> {
  const cluster = await startRedisCluster(PASSWORD, true);
  return {
    ...severalNodes(cluster.nodes, () => findHome(cluster)),
    kind: 'cluster',
    urlThrough(outside) {
      const [first, second] = cluster.nodes.map(({ port }) => `${HOST}:${outside(port)}`);
      return `redis://:${PASSWORD}@${first},redis://${second}?${natMapOf(cluster.nodes, outside)}`;
    },
    failOver: async () => cluster.failOver(await findKey(cluster)),
    moveSlot: async () => cluster.moveSlotOf(await findKey(cluster), 50),
    stop: () => cluster.stop(),
  };
}

const natMapOf = (nodes: readonly RedisNode[], outside: (port: number) => number): string =>
  `nat_map=${nodes.map(({ port }) => `${HOST}:${port}=${HOST}:${outside(port)}`).join(',')}`;

/** A key of the queue; any other while it is empty. */
async function findKey(cluster: RedisCluster): Promise<string> {
  const keys = await Promise.all((await cluster.primaries()).map(({ redis }) => redis.randomkey()));
  return keys.find((key) => key !== null) ?? 'none';
}

const findHome = async (cluster: RedisCluster): Promise<RedisNode> => cluster.nodeOf(await findKey(cluster));

function severalNodes(nodes: readonly RedisNode[], findOne: () => Promise<RedisNode>) {
  // A node that is away does not answer.
  const each = async (work: (node: RedisNode) => Promise<unknown>): Promise<void> => {
    await Promise.allSettled(nodes.filter(({ redis }) => redis.status === 'ready').map(work));
  };
  return {
    ports: nodes.map(({ port }) => port),
    flush: () => each(({ redis }) => redis.flushall()),
    fill: () => each(({ redis }) => redis.config('SET', 'maxmemory', '1')),
    relieve: () => each(({ redis }) => redis.config('SET', 'maxmemory', '0')),
    kill: async () => (await findOne()).kill(),
    async start() {
      for (const node of nodes) await node.start();
    },
    hang: async () => (await findOne()).hang(),
    async wake() {
      for (const node of nodes) node.wake();
    },
  };
}
