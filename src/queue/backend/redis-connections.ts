// The two kinds of Redis connections, to a single server, a primary watched by Sentinels, or a Redis Cluster: `ringing`, whose calls fail
// while Redis is unreachable, and `working`, which waits for it.
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import { type RedisTarget, type RedisTlsFiles, readRedisTarget } from '../../config/redis-addresses.ts';
import { SECOND } from '../../core/clock.ts';
import { ConfigurationError, describeError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';

export type RedisConnection = Redis | Cluster;

// A network that drops everything while TCP still acknowledges it is noticed by its silence: `socketTimeout` closes a connection that owes
// an answer. A ringing connection owes it at once; a working one may block for 10 s. With 10 s to connect and a pause of 2 s before that,
// work continues after at most 15 + 2 + 10 s. A message that was taken while its answer was lost is rung again under another id within
// 30 s (reconciler.ts).
const RINGING = { maxRetriesPerRequest: 1, commandTimeout: 5 * SECOND, socketTimeout: 5 * SECOND };
const WORKING = { maxRetriesPerRequest: null, socketTimeout: 15 * SECOND };

type Silence = typeof RINGING | typeof WORKING;

const SOCKET = {
  keepAlive: 10 * SECOND,
  connectTimeout: 10 * SECOND,
  // A server that was demoted stays a replica; its address may lead to the new primary.
  reconnectOnError: (error: Error) => error.message.includes('READONLY'),
};

/** Returns the delay in milliseconds before the next attempt to connect; null gives up. */
type Retry = (attempt: number) => number | null;

/** `close` ends both, and the connections BullMQ derived from them, which would keep the process alive while Redis is unreachable. */
export type RedisConnections = Readonly<{ ringing: RedisConnection; working: RedisConnection; close: () => void }>;

/** Opens both; they connect and reconnect by themselves. `onError` gets every error. Throws ConfigurationError for an unusable TLS file. */
export function openRedisConnections(redisUrl: Secret, onError: (error: Error) => void): RedisConnections {
  const target = readRedisTarget(redisUrl.reveal());
  const tls = target.tls && followTlsFiles(target.tls);
  let isClosed = false;
  // Reconnects within 2 s however long Redis was unreachable; the default backs off to many seconds.
  const retry: Retry = (attempt) => (isClosed ? null : Math.min(attempt * 200, 2 * SECOND));
  const open = (own: Silence, isRinging: boolean): RedisConnection => {
    const options = { ...SOCKET, ...own, ...(tls && { tls }) };
    const connection =
      target.kind === 'cluster' ? openCluster(target, options, retry, isRinging) : openServer(target, options, retry, isRinging);
    connection.on('error', onError);
    // One node of a cluster failed. Connections to the other nodes may be just as silent, and each would time out in turn, so all are
    // reopened at once.
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
 * TLS options that ioredis reads again for each connection, because certificates are renewed. While the files are unusable, such as between
 * replacing a certificate and its key, the previous content stays in use: an error there would end the connection for good. Throws
 * ConfigurationError when the files are unusable at the start.
 */
function followTlsFiles(files: RedisTlsFiles): TlsContent {
  let secureContext = readTlsFiles(files);
  return {
    // When a server rejects a handshake, the socket may emit a second error after it was destroyed because of the first. ioredis listens for
    // one only, and the second would end the process. With a signal, Node listens for all errors of the socket; that is its only use here.
    // A signal keeps references to all sockets that used it, so each socket gets its own.
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

/** A single server, or the primary that the Sentinels report. */
function openServer(target: RedisTarget, options: NodeOptions, retry: Retry, isRinging: boolean): Redis {
  const own = { ...options, retryStrategy: retry, enableOfflineQueue: !isRinging };
  const { sentinel } = target;
  if (!sentinel) return tellingDenials(new Redis(target.serverUrl ?? '', own));
  const followed = new Redis({
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
    // `failoverDetector` is not set: an event it receives while Sentinels are queried ends the connection for good (ioredis 6.0).
  });
  return tellingDenials(followed);
}

/**
 * The refusal of a Redis in protected mode is lost in ioredis (6.0): the text says that no password is set, which it takes for a password
 * too many and warns of on the console; and it waits for answers that a closed connection never gives before it emits an error.
 */
function tellingDenials(connection: Redis): Redis {
  const hello = connection.hello.bind(connection) as (...words: unknown[]) => Promise<unknown>;
  const telling = (...words: unknown[]): Promise<unknown> =>
    hello(...words).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('DENIED ')) throw error;
      const denied = new Error('DENIED Redis is running in protected mode');
      if (connection.listenerCount('error') > 0) connection.emit('error', denied);
      throw denied;
    });
  return Object.assign(connection, { hello: telling });
}

const credentialOf = ({ username, password }: RedisTarget) => ({
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
});

const natMapOf = ({ natMap }: RedisTarget) => natMap && { natMap: { ...natMap } };

// A command whose connection breaks is not repeated there: ioredis asks any other node which one serves the slot now, after the delays
// below. Ringing tries that for half a second at most; working for several seconds, then BullMQ starts over.
const RINGING_RETRIES = { maxRedirections: 4, retryDelayOnFailover: 100, retryDelayOnClusterDown: 100 };
const WORKING_RETRIES = { maxRedirections: 16, retryDelayOnFailover: 500, retryDelayOnClusterDown: 500 };

function openCluster(target: RedisTarget, options: NodeOptions, retry: Retry, isRinging: boolean): Cluster {
  return new Cluster([...target.addresses], {
    ...(isRinging ? RINGING_RETRIES : WORKING_RETRIES),
    clusterRetryStrategy: retry,
    enableOfflineQueue: !isRinging,
    // ioredis never settles a connect() whose ready check fails, such as while a node is down (6.0), and BullMQ's workers wait for it for
    // ever. A cluster that is down reports that to each command, which is then repeated.
    enableReadyCheck: false,
    slotsRefreshTimeout: 5 * SECOND,
    // The default replaces host names by IP addresses, which certificates are not issued for.
    dnsLookup: (host: string, answer: (error: null, address: string) => void) => answer(null, host),
    ...natMapOf(target),
    // The credential of the first address also applies to nodes that only the cluster itself reports.
    redisOptions: { ...options, ...credentialOf(target) },
  });
}
