// How often a password may be tried: ten times a minute from one address, and over all addresses slower and slower. Those who know it are not
// locked out by those who do not, from however many addresses these try: who comes from where the right one came from goes first, and who has
// failed already last.
import Bottleneck from 'bottleneck';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DAY, MINUTE, SECOND } from '../core/clock.ts';

/** Wrong passwords from one address. */
const MAX_FAILURES_PER_MINUTE = 10;
/** After so many wrong passwords from all addresses, the next ones are looked at one after another. */
const QUICK_FAILURES_PER_MINUTE = 30;
const SLOW_ATTEMPT_MS = 2 * SECOND;
const MAX_WAITING = 100;
/** Of Bottleneck, which takes 0 first. */
const KNOWN_PRIORITY = 0;
const LAST_PRIORITY = 9;
/** How long an address is known, and how many of them are remembered. */
const KNOWN_MS = 30 * DAY;
const MAX_KNOWN = 10_000;

export type Outcome = 'right' | 'wrong' | 'too often';

export interface PasswordAttempts {
  try(given: string, address: string): Promise<Outcome>;
  /** Those that wait are not looked at any more. */
  stop(): Promise<void>;
}

export function createPasswordAttempts(isPassword: (given: string) => boolean): PasswordAttempts {
  const ofAddress = new RateLimiterMemory({ points: MAX_FAILURES_PER_MINUTE, duration: MINUTE / SECOND });
  const ofAll = new RateLimiterMemory({ points: QUICK_FAILURES_PER_MINUTE, duration: MINUTE / SECOND });
  const line = new Bottleneck({
    maxConcurrent: 1,
    minTime: SLOW_ATTEMPT_MS,
    highWater: MAX_WAITING,
    strategy: Bottleneck.strategy.LEAK,
  });
  /** Addresses from which the right password came, and when it did last; in that order. */
  const known = new Map<string, number>();
  const note = (client: string): void => {
    known.delete(client);
    known.set(client, Date.now());
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  };
  const isKnown = (client: string): boolean => Date.now() - (known.get(client) ?? 0) < KNOWN_MS;
  return {
    async try(given, address) {
      const client = clientOf(address);
      const spent = await ofAddress.consume(client).catch(refusalOf);
      if (spent.consumedPoints > MAX_FAILURES_PER_MINUTE) return 'too often';
      if (((await ofAll.get('all'))?.consumedPoints ?? 0) >= QUICK_FAILURES_PER_MINUTE) {
        const priority = isKnown(client) ? KNOWN_PRIORITY : Math.min(spent.consumedPoints, LAST_PRIORITY);
        const isTurn = await line.schedule({ priority }, async () => true).catch(() => false);
        if (!isTurn) return 'too often';
      }
      if (isPassword(given)) {
        await ofAddress.reward(client);
        note(client);
        return 'right';
      }
      await ofAll.penalty('all');
      return 'wrong';
    },
    stop: () => line.stop({ dropWaitingJobs: true }),
  };
}

function refusalOf(reason: unknown): RateLimiterRes {
  if (reason instanceof RateLimiterRes) return reason;
  throw reason;
}

/** A client that has one IPv6 address has its whole network of 64 bits. */
function clientOf(address: string): string {
  return address.includes('.') ? address : address.split(':').slice(0, 4).join(':');
}
