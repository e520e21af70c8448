// What Redis reports about itself, for "searchmill check".
import { Cluster, type Redis } from 'ioredis';
import { StoreError } from '../../core/errors.ts';
import { nameSome } from '../../core/name-some.ts';
import { count, sumOf } from '../../core/numbers.ts';
import type { RedisConnection } from './redis-connections.ts';
import { IS_CLUSTER_NODE, IS_REPLICA } from './redis-errors.ts';

/** `answer` describes the server; `warnings` are problems that do not stop it from working. */
export type Inspection = Readonly<{ answer: string; warnings: readonly string[] }>;

export type RedisFacts = Readonly<{
  /** For example `Valkey 8.0.1`. */
  product: string;
  mode: string | undefined;
  role: string | undefined;
  replicas: number;
  policy: string | undefined;
}>;

/** Asks a server, or all primaries of a cluster. Throws StoreError when it cannot carry the queue. */
export async function inspectRedis(connection: RedisConnection): Promise<Inspection> {
  if (connection instanceof Cluster) return describeNodes(await Promise.all(connection.nodes('master').map(readFacts)));
  return describeServer(await readFacts(connection));
}

/** Throws StoreError for a server that cannot carry a queue on its own. */
export function describeServer(facts: RedisFacts): Inspection {
  requireOwnPrimary(facts);
  const replicas = facts.replicas === 0 ? '' : `, a primary with ${count(facts.replicas, 'replica')}`;
  return { answer: `${facts.product}${replicas}`, warnings: findWarnings([facts]) };
}

const readFacts = async (node: Redis): Promise<RedisFacts> => parseFacts(await node.info());

/** Parses the answer to INFO. */
export function parseFacts(info: string): RedisFacts {
  const facts = new Map(info.split(/\r?\n/).map((line) => line.split(':', 2) as [string, string | undefined]));
  const valkey = facts.get('valkey_version');
  return {
    product: valkey === undefined ? `Redis ${facts.get('redis_version') ?? 'of an unknown version'}` : `Valkey ${valkey}`,
    mode: facts.get('redis_mode') ?? facts.get('server_mode'),
    role: facts.get('role'),
    replicas: Number(facts.get('connected_slaves') ?? 0),
    policy: facts.get('maxmemory_policy'),
  };
}

function requireOwnPrimary({ role, mode }: RedisFacts): void {
  if (role === 'slave') throw new StoreError(IS_REPLICA, { retryable: true });
  if (mode === 'cluster') throw new StoreError(IS_CLUSTER_NODE, { retryable: true });
}

export function describeNodes(primaries: readonly RedisFacts[]): Inspection {
  const replicas = sumOf(primaries, (primary) => primary.replicas);
  const without = primaries.filter((primary) => primary.replicas === 0).length;
  const lacking =
    without === 0
      ? []
      : [
          `${count(without, 'primary', 'primaries')} of the cluster ${without === 1 ? 'has' : 'have'} no replica: while the node of the queue is down, so is the queue`,
        ];
  const products = [...new Set(primaries.map(({ product }) => product))].join(', ');
  return {
    answer: `${products}, a cluster of ${count(primaries.length, 'primary', 'primaries')} with ${count(replicas, 'replica')}`,
    warnings: [...findWarnings(primaries), ...lacking],
  };
}

/** BullMQ supports 6.2 and later. */
const OLD = /^Redis ([0-5]\.|6\.[01]\.)/;

function findWarnings(servers: readonly RedisFacts[]): string[] {
  const policies = new Set(servers.map(({ policy = 'noeviction' }) => policy).filter((policy) => policy !== 'noeviction'));
  const old = servers.find(({ product }) => OLD.test(product));
  return [
    ...(policies.size === 0
      ? []
      : [`maxmemory-policy is ${nameSome([...policies], 4)}: Redis may drop bells when memory is short; set noeviction`]),
    ...(old ? [`${old.product} is older than 6.2, the oldest version that is supported; upgrade it`] : []),
  ];
}
