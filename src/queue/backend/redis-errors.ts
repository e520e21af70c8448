// Explains what Redis, its Sentinels or TLS refused, and what to do.
import { StoreError } from '../../core/errors.ts';

/** Why a server cannot carry the queue, and what REDIS_URL must name instead. */
export const IS_REPLICA =
  'this Redis is a replica; REDIS_URL must name its primary, or the Sentinels that know it; or make it the primary: REPLICAOF NO ONE';
export const IS_CLUSTER_NODE = 'this Redis is a node of a cluster: REDIS_URL must name several of its nodes';

const RULE = 'docs/scaling.md shows the rights that the user needs';

// Matched by the texts of Redis, Node and OpenSSL, because errors of a Sentinel's connection have no code. The first match wins.
const EXPLANATIONS: readonly (readonly [pattern: RegExp, explanation: string])[] = [
  [/All sentinels.*(NOAUTH|WRONGPASS)/s, 'a Sentinel refused the credential; give sentinel_password (and sentinel_username) in REDIS_URL'],
  [
    /No such master with that name/,
    'the Sentinels watch no primary of the name in REDIS_URL; use the name after "sentinel monitor" in their configuration',
  ],
  [
    /altnames|ALTNAME/,
    'this process refused the certificate of Redis because it is for other names than the host that was connected to; use one of its names in REDIS_URL',
  ],
  [
    /self.signed|unable to verify the first|unable to get (local )?issuer|SELF_SIGNED|UNABLE_TO/,
    'this process refused the certificate of Redis because its issuer is unknown; name the file of its CA in REDIS_URL (sslrootcert)',
  ],
  [/certificate has expired|CERT_HAS_EXPIRED/, 'this process refused the certificate of Redis because it has expired; renew it'],
  [
    /alert (number \d+|certificate required|unknown ca|bad certificate|handshake failure)|_ALERT_/i,
    'Redis refused the client certificate, or got none; name one that its CA has signed in REDIS_URL (sslcert and sslkey)',
  ],
  [
    /wrong version number|packet length too long|WRONG_VERSION_NUMBER/i,
    'Redis does not speak TLS at this port; use redis:// in REDIS_URL, or its port for TLS',
  ],
  [/NOPERM|The user executing the script can't/, `Redis does not allow the user of REDIS_URL to do this; ${RULE}`],
  [/WRONGPASS|invalid (username-password|password)/, 'Redis refused the user or the password of REDIS_URL; correct them'],
  [/NOAUTH|called without any password/, 'Redis has a password and REDIS_URL has none, or the other way round; correct REDIS_URL'],
  [/READONLY/, IS_REPLICA],
  [/^MOVED /, IS_CLUSTER_NODE],
  [/OOM command not allowed/, 'Redis is full and takes no bells; raise maxmemory, or give the queue a Redis of its own'],
  [
    /MISCONF/,
    'Redis cannot save its data, so it accepts no changes; make room in its data folder (CONFIG GET dir; its log says more), or set stop-writes-on-bgsave-error to no: the queue needs no saved data',
  ],
  [/max number of clients/, 'Redis has reached its limit of clients; raise maxclients, or end some of those that CLIENT LIST shows'],
  [
    /NOREPLICAS/,
    'Redis accepts no changes because it has too few replicas; start them again, or set min-replicas-to-write to 0: the queue needs no replicas',
  ],
  [/^DENIED|protected mode/, 'Redis accepts only local clients while it has no password; set requirepass there, and give it in REDIS_URL'],
  [/^BUSY /, 'Redis is busy with a script; end it with SCRIPT KILL'],
  [/CLUSTERDOWN/, 'the Redis Cluster is down because some of its slots have no node; CLUSTER INFO there says more'],
  [/^LOADING/, 'Redis is loading its data after a start, and answers when it is done'],
  [
    /unknown command '?set/i,
    'this is a Sentinel; write redis+sentinel:// in REDIS_URL, and after its address the name of the primary, such as /mymaster',
  ],
  [
    /ECONNRESET|EPIPE/,
    // A server with too many clients says so and closes, usually before the message was read.
    'Redis ended the connection; if it always does, it may expect TLS (rediss://) or a client certificate (sslcert and sslkey), or it takes only local clients while it has no password (requirepass), or it has reached its limit of clients: raise maxclients, or end some of those that CLIENT LIST shows',
  ],
  [/All sentinels are unreachable/, 'no Sentinel of REDIS_URL tells where the primary is'],
];

/** Adds advice to an error, if there is any. */
export function explainRedisError(error: Error): Error {
  if (error instanceof StoreError) return error;
  if ('lastNodeError' in error) {
    const cause = error.lastNodeError instanceof Error ? explainRedisError(error.lastNodeError) : error.lastNodeError;
    return new StoreError('no node of the Redis Cluster can be used', { retryable: true, cause });
  }
  const said = `${error.message} ${'code' in error ? error.code : ''}`;
  const found = EXPLANATIONS.find(([pattern]) => pattern.test(said));
  return found ? new StoreError(found[1], { retryable: true, cause: error }) : error;
}
