// The TCP connections to one origin.
import type { Dispatcher } from 'undici';
import type { CallKind } from '../core/limits.ts';
import { openPool } from '../egress/pool.ts';
import type { HttpProxy } from '../egress/route.ts';
import type { ClientOptions } from './client-options.ts';
import type { ConnectionLimiter } from './limiters.ts';

export type HttpPools = Readonly<{ dispatchers: Readonly<Record<CallKind, Dispatcher>>; close: () => Promise<void> }>;

/**
 * A pool per kind, each with as many connections as its limiter lets calls go at once, so that no call waits inside
 * undici while its permit ages. Reads keep their connections alive. Each submit gets a new one: a kept connection may be
 * closed by the service just when the next request is written, and then nobody knows whether a query has begun.
 * Certificates are verified, and redirects are not followed, as is undici's default.
 */
export function openPools(
  origin: string,
  limiter: ConnectionLimiter,
  { connectTimeoutMs }: ClientOptions,
  proxy: HttpProxy | undefined,
): HttpPools {
  const open = (kind: CallKind, pipelining: 0 | 1): Dispatcher =>
    openPool(origin, { proxy, connections: limiter[kind].maxConcurrent, pipelining, connectTimeoutMs });
  const submit = open('submit', 0);
  const read = open('read', 1);
  return {
    dispatchers: { submit, read },
    close: async () => {
      await Promise.all([submit.destroy(), read.destroy()]);
    },
  };
}

/** One agent from outside for both kinds; closing it is its owner's business. */
export function shareAgent(agent: Dispatcher): HttpPools {
  return { dispatchers: { submit: agent, read: agent }, close: async () => {} };
}
