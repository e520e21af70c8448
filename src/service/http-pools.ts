// The TCP connections to one origin.
import type { Dispatcher } from 'undici';
import type { CallKind } from '../core/limits.ts';
import { openPool } from '../egress/pool.ts';
import type { HttpProxy } from '../egress/route.ts';
import type { ClientOptions } from './client-options.ts';
import type { ConnectionLimiter } from './limiters.ts';

export type HttpPools = Readonly<{ dispatchers: Readonly<Record<CallKind, Dispatcher>>; close: () => Promise<void> }>;

/**
 * One pool per kind, with as many connections as its limiter allows concurrent calls, so that no call waits inside undici while its
 * permit ages. Reads keep their connections alive. Each submit gets a new one: the service may close a kept connection just when the next
 * request is written, and then it is unknown whether a query has begun.
 * Certificates are verified, and redirects are not followed, as by undici's default.
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

/** One external agent for both kinds; the caller closes it. */
export function shareAgent(agent: Dispatcher): HttpPools {
  return { dispatchers: { submit: agent, read: agent }, close: async () => {} };
}
