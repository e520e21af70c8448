// The two kinds of connections to Redis, on a single server, one that Sentinels watch, or a Redis Cluster: one that rings,
// whose calls fail while Redis is away, and one that works, which waits for it.
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import { type RedisTarget, type RedisTlsFiles, readRedisTarget } from '../../config/redis-addresses.ts';
import { SECOND } from '../../core/clock.ts';
import { ConfigurationError, describeError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';

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

/** The delay before the next attempt to connect; null gives up. */
type Retry = (attempt: number) => number | null;

/** `close` ends both, and those that BullMQ made of them, which would keep the process alive while Redis is away. */
export type RedisConnections = Readonly<{ ringing: RedisConnection; working: RedisConnection; close: () => void }>;

/** Opens both; they connect by themselves, again and again. `onError` hears of all problems. Throws ConfigurationError for a file that cannot be used. */
export function openRedisConnections(redisUrl: Secret, onError: (error: Error) => void): RedisConnections {
  const target = readRedisTarget(redisUrl.reveal());
  const tls = target.tls && followTlsFiles(target.tls);
  let isClosed = false;
  // Reconnects within 2 s however long Redis was away; the default backs off to many seconds.
  const retry: Retry = (attempt) => (isClosed ? null : Math.min(attempt * 200, 2 * SECOND));
  const open = (own: Silence, isRinging: boolean): RedisConnection => {
    const options = { ...SOCKET, ...own, ...(tls && { tls }) };
    const connection =
      target.kind === 'cluster' ? openCluster(target, options, retry, isRinging) : openServer(target, options, retry, isRinging);
    connection.on('error', onError);
    // A cluster has a problem with one of its nodes. Connections to the others may be as silent, and each would be waited for in
    // turn: all are made anew.
    connection.on('node error', (error: Error) => {
      onError(error);
      if (error.message.startsWith('Socket timeout')) connection.disconnect(true);
    });
    return connection;
  };
  const [ringing, working] = [open(RINGING, true), open(WORKING, false)];
  return {
    ringing,
    working,
    close() {
      isClosed = true;
      ringing.disconnect();
      working.disconnect();
    },
  };
}

type TlsContent = Readonly<{ signal: AbortSignal; secureContext: SecureContext }>;

/**
 * What ioredis takes anew for each connection, since certificates are renewed. While the files cannot be used, as between the change of a
 * certificate and that of its key, it is what it was: an error there would end the connection for good. Throws ConfigurationError for
 * files that cannot be used at first.
 */
function followTlsFiles(files: RedisTlsFiles): TlsContent {
  let secureContext = readTlsFiles(files);
  return {
    // A server that turns down a handshake may have a second error for a socket that has been destroyed because of the first, and
    // ioredis listens to one: the second would end the program. Node hears all errors of a socket that has a signal, for this reason.
    // A signal keeps all sockets that had it, so each has its own.
    get signal() {
      return new AbortController().signal;
    },
    get secureContext() {
      try {
        secureContext = readTlsFiles(files);
      } catch {}
      return secureContext;
    },
  };
}

function readTlsFiles(files: RedisTlsFiles): SecureContext {
  const read = (option: string, path: string): Buffer => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw new ConfigurationError(`REDIS_URL: ${option} names a file that cannot be read: ${describeError(error)}`);
    }
  };
  const content = {
    ...(files.ca !== undefined && { ca: read('sslrootcert', files.ca) }),
    ...(files.cert !== undefined && { cert: read('sslcert', files.cert) }),
    ...(files.key !== undefined && { key: read('sslkey', files.key) }),
  };
  try {
    return createSecureContext(content);
  } catch (error) {
    throw new ConfigurationError(
      `REDIS_URL: sslrootcert, sslcert and sslkey must name PEM files, of which the last two belong together: ${describeError(error)}`,
    );
  }
}

type NodeOptions = typeof SOCKET & Silence & Readonly<{ tls?: TlsContent }>;

/** A single server, or the primary that the Sentinels name. */
function openServer(target: RedisTarget, options: NodeOptions, retry: Retry, isRinging: boolean): Redis {
  const own = { ...options, retryStrategy: retry, enableOfflineQueue: !isRinging };
  const { sentinel } = target;
  if (!sentinel) return new Redis(target.serverUrl ?? '', own);
  return new Redis({
    ...own,
    ...credentialOf(target),
    db: target.database,
    sentinels: [...target.addresses],
    name: sentinel.name,
    ...(sentinel.username !== undefined && { sentinelUsername: sentinel.username }),
    ...(sentinel.password !== undefined && { sentinelPassword: sentinel.password }),
    ...(options.tls && { sentinelTLS: options.tls, enableTLSForSentinelMode: true }),
    ...natMapOf(target),
    sentinelCommandTimeout: 5 * SECOND,
    sentinelRetryStrategy: retry,
    // Not `failoverDetector`: what it hears while Sentinels are asked ends the connection for good (ioredis 6.0).
  });
}

const credentialOf = ({ username, password }: RedisTarget) => ({
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
});

const natMapOf = ({ natMap }: RedisTarget) => natMap && { natMap: { ...natMap } };

// A connection to a node that breaks is not repeated: the command asks any other node who serves the slot now, after the
// delays below. Rings try that for half a second at most; work for about four, then BullMQ begins anew.
const RINGING_RETRIES = { maxRedirections: 4, retryDelayOnFailover: 100, retryDelayOnClusterDown: 100 };
const WORKING_RETRIES = { maxRedirections: 16, retryDelayOnFailover: 500, retryDelayOnClusterDown: 500 };

function openCluster(target: RedisTarget, options: NodeOptions, retry: Retry, isRinging: boolean): Cluster {
  return new Cluster([...target.addresses], {
    ...(isRinging ? RINGING_RETRIES : WORKING_RETRIES),
    clusterRetryStrategy: retry,
    enableOfflineQueue: !isRinging,
    // ioredis never settles a connect() whose ready check fails, as while a node is away (6.0), and BullMQ's workers wait for it for ever.
    // A cluster that is down says so to each command, which is then repeated.
    enableReadyCheck: false,
    slotsRefreshTimeout: 5 * SECOND,
    // The default puts IP addresses in the place of host names, which no certificate is made out to.
    dnsLookup: (host: string, answer: (error: null, address: string) => void) => answer(null, host),
    ...natMapOf(target),
    // Of the first address, also for nodes that only the cluster itself names.
    redisOptions: { ...options, ...credentialOf(target) },
  });
}
