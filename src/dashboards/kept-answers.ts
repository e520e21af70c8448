// A cache of answers. Each request reads the state of the figures, and while it equals the state in which an answer was read, the cached answer
// is sent again unchanged. Concurrent requests for the same address share one reading, which starts after the last of them arrived.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { MEBIBYTE } from '../core/byte-sizes.ts';
import { HOUR } from '../core/clock.ts';
import { createJoinedRuns } from '../core/joined-runs.ts';
import type { Pool } from '../postgres/pool.ts';
import { type Basis, stateOf } from './basis.ts';

/** Size of the cache in compressed bytes: a few thousand pages. */
const MAX_KEPT_BYTES = 32 * MEBIBYTE;
/** Must be shorter than the day for which searchmill.figure_changes keeps its rows; older states could look alike. */
const KEPT_MS = HOUR;

export type Answer = Readonly<{
  code: number;
  headers: Readonly<Record<string, string>>;
  etag: string;
  zipped: Buffer;
}>;

/** What was read for an answer. Without a `basis` the answer is not cached. */
export type FreshAnswer = Readonly<{ code?: number; headers: Readonly<Record<string, string>>; body: string; basis: Basis | undefined }>;

export type KeptAnswers = Readonly<{
  /**
   * The answer to `address`, which must contain everything the answer depends on besides the database. Undefined if `read` returns undefined,
   * because the result is not to be shared. Throws what `read` throws.
   */
  give: <R extends FreshAnswer | undefined>(
    address: string,
    read: (signal: AbortSignal) => Promise<R>,
    gone: AbortSignal,
  ) => Promise<Answer | Exclude<R, FreshAnswer>>;
}>;

type Kept = Readonly<{ answer: Answer; basis: Basis }>;

export function createKeptAnswers(pool: Pool, { maxBytes = MAX_KEPT_BYTES }: { maxBytes?: number } = {}): KeptAnswers {
  // Bounded by size and by age.
  const kept = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }, address) => answer.zipped.length + address.length * 2 + 1_000,
    ttl: KEPT_MS,
  });
  const runs = createJoinedRuns<Answer | undefined>();
  const states = createJoinedRuns<string | undefined>();
  const isCurrent = async ({ basis: { accountId, state } }: Kept): Promise<boolean> =>
    (await states.run(accountId, () => stateOf(pool, accountId))) === state;
  return {
    async give<R extends FreshAnswer | undefined>(address: string, read: (signal: AbortSignal) => Promise<R>, gone: AbortSignal) {
      const before = kept.get(address);
      // A cached answer that is still current does not wait for a reading in progress.
      if (before && (await isCurrent(before))) return before.answer;
      const look = async (signal: AbortSignal): Promise<Answer | undefined> => {
        const since = kept.get(address);
        if (since && since !== before && (await isCurrent(since))) return since.answer;
        kept.delete(address);
        const reading = await read(signal);
        const answer = reading && (await toAnswer(reading));
        if (answer && reading.basis) kept.set(address, { answer, basis: reading.basis });
        return answer;
      };
      return runs.run(address, look, gone) as Promise<Answer | Exclude<R, FreshAnswer>>;
    },
  };
}

async function toAnswer({ code = 200, headers, body }: FreshAnswer): Promise<Answer> {
  const zipped = await promisify(gzip)(body);
  const etag = `W/"${createHash('sha256').update(String(code)).update(body).digest('base64url').slice(0, 22)}"`;
  return { code, headers, etag, zipped };
}

/** Sends the answer, or 304 if the browser has it. Browsers revalidate on each request. */
export async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, headers, etag, zipped }: Answer,
): Promise<FastifyReply> {
  reply.headers({ ...headers, etag, vary: 'accept-encoding, cookie', 'cache-control': 'private, no-cache' });
  const known = String(request.headers['if-none-match'] ?? '').split(/\s*,\s*/);
  if (code === 200 && known.includes(etag)) return reply.code(304).send();
  reply.code(code);
  if (/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.header('content-encoding', 'gzip').send(zipped);
  return reply.send(await promisify(gunzip)(zipped));
}
