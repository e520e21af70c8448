// The two kinds of connections to Redis, on a single server or a Redis Cluster: one that rings, whose calls fail while
// Redis is away, and one that works, which waits for it.
import { Cluster, Redis } from 'ioredis';
import { splitRedisAddresses } from '../config/redis-addresses.ts';
import { SECOND } from '../core/clock.ts';
import { StoreError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';

export type RedisConnection = Redis | Cluster;

// A network that swallows everything while TCP acknowledges it is noticed by its silence: `socketTimeout` closes a
// connection that owes an answer. One that rings owes it at once; one that works may be told to block for 10 s. With 10 s
// to connect and 2 s before that, work goes on after at most 15 + 2 + 10 s. A message that was taken while the
// answer was lost is rung anew under another id within 30 s (reconciler.ts).
const RINGING = { maxRetriesPerRequest: 1, commandTimeout: 5 * SECOND, socketTimeout: 5 * SECOND };
const WORKING = { maxRetriesPerRequest: null, socketTimeout: 15 * SECOND };

type Silence = typeof RINGING | typeof WORKING;

const SOCKET = {
  keepAlive: 10 * SECOND,
  connectTimeout: 10 * SECOND,
  // A server that was demoted stays so; its address may lead to the new one.
  reconnectOnError: (error: Error) => error.message.includes('READONLY'),
};

// Reconnects within 2 s however long Redis was away; the default backs off to many seconds.
const retryWithin2s = (attempt: number) => Math.min(attempt * 200, 2 * SECOND);

/** Opens both; they connect by themselves, again and again. `onError` hears of all problems. */
export function openRedisConnections(
  redisUrl: Secret,
  onError: (error: Error) => void,
): { ringing: RedisConnection; working: RedisConnection } {
  const addresses = splitRedisAddresses(redisUrl.reveal());
  const open = (own: Silence, isRinging: boolean): RedisConnection => {
    const connection = addresses.length > 1 ? openCluster(addresses, own, isRinging) : openServer(redisUrl, own, isRinging);
    connection.on('error', onError);
    // A cluster has a problem with one of its nodes. Connections to the others may be as silent, and each would be waited for in
    // turn: all are made anew.
    connection.on('node error', (error: Error) => {
      onError(error);
      if (error.message.startsWith('Socket timeout')) connection.disconnect(true);
    });
    return connection;
  };
  return { ringing: open(RINGING, true), working: open(WORKING, false) };
}

function openServer(redisUrl: Secret, own: Silence, isRinging: boolean): Redis {
  return new Redis(redisUrl.reveal(), { ...SOCKET, ...own, retryStrategy: retryWithin2s, enableOfflineQueue: !isRinging });
}

// A connection to a node that breaks is not repeated: the command asks any other node who serves the slot now, after the
// delays below. Rings try that for half a second at most; work for about four, then BullMQ begins anew.
const RINGING_RETRIES = { maxRedirections: 4, retryDelayOnFailover: 100, retryDelayOnClusterDown: 100 };
const WORKING_RETRIES = { maxRedirections: 16, retryDelayOnFailover: 500, retryDelayOnClusterDown: 500 };

function openCluster(addresses: readonly string[], own: Silence, isRinging: boolean): Cluster {
  const { protocol, username, password } = new URL(addresses[0] ?? '');
  return new Cluster([...addresses], {
    ...(isRinging ? RINGING_RETRIES : WORKING_RETRIES),
    clusterRetryStrategy: retryWithin2s,
    enableOfflineQueue: !isRinging,
    slotsRefreshTimeout: 5 * SECOND,
    // The default puts IP addresses in the place of host names, which no certificate is made out to.
    dnsLookup: (host: string, answer: (error: null, address: string) => void) => answer(null, host),
    // Of the first address, also for nodes that only the cluster itself names.
    redisOptions: {
      ...SOCKET,
      ...own,
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  });
}

/** The same error in words that lead further, where ioredis has too few. */
export function explainRedisError(error: Error): Error {
  if ('lastNodeError' in error)
    return new StoreError('no node of the Redis Cluster can be used', { retryable: true, cause: error.lastNodeError });
  if (/^MOVED /.test(error.message))
    return new StoreError('this Redis is a node of a cluster: REDIS_URL must name several of its nodes', { retryable: true, cause: error });
  return error;
}
