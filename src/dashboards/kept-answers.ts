// Answers that were read before. Each request asks for the state of the figures; while it is the one that an answer was read in, the answer
// is given again, byte by byte. Those who ask for the same at once are answered by one reading, which was begun after the last of them asked.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { HOUR } from '../core/clock.ts';
import { createJoinedRuns } from '../core/joined-runs.ts';
import type { Pool } from '../warehouse/pool.ts';
import { type Basis, stateOf } from './basis.ts';

/** Of compressed bytes: some thousand pages. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** What searchmill.figure_changes keeps for longer is all told apart. */
const KEPT_MS = HOUR;

export type Answer = Readonly<{
  code: number;
  headers: Readonly<Record<string, string>>;
  etag: string;
  zipped: Buffer;
}>;

/** `basis` is undefined where the answer may be other at the next moment. */
export type Reading = Readonly<{ code?: number; headers: Readonly<Record<string, string>>; body: string; basis: Basis | undefined }>;

export type KeptAnswers = Readonly<{
  /**
   * The answer to `address`, which names all that it depends on beside the database; undefined where `read` returns nothing that may be shared.
   * Throws what `read` throws.
   */
  give: <R extends Reading | undefined>(
    address: string,
    read: (signal: AbortSignal) => Promise<R>,
    gone: AbortSignal,
  ) => Promise<Answer | Exclude<R, Reading>>;
}>;

type Kept = Readonly<{ answer: Answer; basis: Basis }>;

export function createKeptAnswers(pool: Pool, { maxBytes = MAX_KEPT_BYTES }: { maxBytes?: number } = {}): KeptAnswers {
  // Bounded by bytes and by age: the package does both, and is exact about what an entry that is replaced gives back.
  const kept = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }, address) => answer.zipped.length + address.length * 2 + 1_000,
    ttl: KEPT_MS,
  });
  const readings = createJoinedRuns<Answer | undefined>();
  const states = createJoinedRuns<string | undefined>();
  const isCurrent = async ({ basis: { accountId, state } }: Kept): Promise<boolean> =>
    (await states.run(accountId, () => stateOf(pool, accountId))) === state;
  return {
    async give<R extends Reading | undefined>(address: string, read: (signal: AbortSignal) => Promise<R>, gone: AbortSignal) {
      const before = kept.get(address);
      // Nobody waits for a reading to be told that what was read before still holds.
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
      return readings.run(address, look, gone) as Promise<Answer | Exclude<R, Reading>>;
    },
  };
}

async function toAnswer({ code = 200, headers, body }: Reading): Promise<Answer> {
  const zipped = await promisify(gzip)(body);
  const etag = `W/"${createHash('sha256').update(String(code)).update(body).digest('base64url').slice(0, 22)}"`;
  return { code, headers, etag, zipped };
}

/** Sends it, or that the browser has it. A browser asks each time whether it still holds. */
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
