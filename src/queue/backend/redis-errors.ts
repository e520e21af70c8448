// Explains what Redis, its Sentinels or TLS refused, and what to do.
import { StoreError } from '../../core/errors.ts';

/** Why a server cannot carry the queue, and what REDIS_URL must name instead. */
export const IS_REPLICA =
  'this Redis is a replica; REDIS_URL must name its primary, or the Sentinels that know it; or make it the primary: REPLICAOF NO ONE';
export const IS_CLUSTER_NODE = 'this Redis is a node of a cluster: REDIS_URL must name several of its nodes';

const RULE = 'docs/scaling.md has the rule of a user that may do what is needed';

// Matched by the texts of Redis, Node and OpenSSL, because errors of a Sentinel's connection have no code. The first match wins.
const EXPLANATIONS: readonly (readonly [pattern: RegExp, explanation: string])[] = [
  [/All sentinels.*(NOAUTH|WRONGPASS)/s, 'a Sentinel refused the credential; give sentinel_password (and sentinel_username) in REDIS_URL'],
  [
    /No such master with that name/,
    'a Sentinel watches nothing of the name in REDIS_URL; write the name of the primary that is behind "sentinel monitor" in its configuration',
  ],
  [
    /altnames|ALTNAME/,
    'this process refused the certificate of Redis, which is made out to other names than the host it was reached by; use one of those in REDIS_URL',
  ],
  [
    /self.signed|unable to verify the first|unable to get (local )?issuer|SELF_SIGNED|UNABLE_TO/,
    'this process refused the certificate of Redis, whose issuer it does not know; name the file of its CA by sslrootcert in REDIS_URL',
  ],
  [/certificate has expired|CERT_HAS_EXPIRED/, 'this process refused the certificate of Redis, which has expired; renew it'],
  [
    /alert (number \d+|certificate required|unknown ca|bad certificate|handshake failure)|_ALERT_/i,
    'Redis refused the client certificate, or there was none; name one that its CA has signed by sslcert and sslkey in REDIS_URL',
  ],
  [
    /wrong version number|packet length too long|WRONG_VERSION_NUMBER/i,
    'Redis does not speak TLS at this port; use redis:// in REDIS_URL, or its port for TLS',
  ],
  [/NOPERM|The user executing the script can't/, `Redis refused something to the user of REDIS_URL; ${RULE}`],
  [/WRONGPASS|invalid (username-password|password)/, 'Redis refused the user or the password of REDIS_URL; correct them'],
  [/NOAUTH|called without any password/, 'Redis and REDIS_URL do not agree on whether there is a password; correct REDIS_URL'],
  [/READONLY/, IS_REPLICA],
  [/^MOVED /, IS_CLUSTER_NODE],
  [/OOM command not allowed/, 'Redis is full and takes no bells; raise maxmemory, or give the queue a Redis of its own'],
  [
    /MISCONF/,
    'Redis cannot save its data, so it takes no changes; make room in the folder that CONFIG GET dir names, as its log says, or set stop-writes-on-bgsave-error to no: nothing of the queue must survive',
  ],
  [/max number of clients/, 'Redis has as many clients as it lets in; raise maxclients, or end some that CLIENT LIST names'],
  [
    /NOREPLICAS/,
    'Redis takes no changes while it has too few replicas; start them again, or set min-replicas-to-write to 0: nothing of the queue must survive',
  ],
  [/^DENIED|protected mode/, 'Redis lets in nobody from elsewhere without a password; set requirepass there, and give it in REDIS_URL'],
  [/^BUSY /, 'Redis is busy with a script of somebody; end it by SCRIPT KILL'],
  [/CLUSTERDOWN/, 'the Redis Cluster is down, since some of its slots have no node; CLUSTER INFO there says more'],
  [/^LOADING/, 'Redis is reading its data after a start, and answers when it has'],
  [
    /unknown command '?set/i,
    'this is a Sentinel; write redis+sentinel:// and behind its address the name of the primary, such as /mymaster, in REDIS_URL',
  ],
  [
    /ECONNRESET|EPIPE/,
    // A server with too many clients says so and closes, usually before the message was read.
    'Redis ended the connection; if it does so each time, it may expect TLS (rediss://) or a client certificate (sslcert and sslkey), or have as many clients as it lets in: raise maxclients, or end some that CLIENT LIST names',
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
