// Limits password attempts: ten failures a minute from one address, and after many failures from all addresses together one attempt every 2 s.
// Attackers on many addresses cannot lock out those who know the password: addresses that logged in before go first, and those with failures
// go last.
import Bottleneck from 'bottleneck';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { clientOf } from '../core/client-address.ts';
import { DAY, MINUTE, SECOND } from '../core/clock.ts';
import { createSteadyLimiter } from '../core/steady-limiter.ts';

/** Most wrong passwords from one address. */
const MAX_FAILURES_PER_MINUTE = 10;
/** After this many wrong passwords from all addresses, further attempts are checked one after another. */
const QUICK_FAILURES_PER_MINUTE = 30;
const SLOW_ATTEMPT_MS = 2 * SECOND;
const MAX_WAITING = 100;
/** Bottleneck priorities; 0 goes first. */
const KNOWN_PRIORITY = 0;
const LAST_PRIORITY = 9;
/** How long an address stays known after a correct password, and how many addresses are remembered. */
const KNOWN_MS = 30 * DAY;
const MAX_KNOWN = 10_000;

export type Outcome = 'right' | 'wrong' | 'too often';

export interface PasswordAttempts {
  try(given: string, address: string): Promise<Outcome>;
  /** Drops the waiting attempts. */
  stop(): Promise<void>;
}

export function createPasswordAttempts(isPassword: (given: string) => boolean): PasswordAttempts {
  const ofAddress = new RateLimiterMemory({ points: MAX_FAILURES_PER_MINUTE, duration: MINUTE / SECOND });
  const ofAll = new RateLimiterMemory({ points: QUICK_FAILURES_PER_MINUTE, duration: MINUTE / SECOND });
  const line = createSteadyLimiter({
    maxConcurrent: 1,
    minTime: SLOW_ATTEMPT_MS,
    highWater: MAX_WAITING,
    strategy: Bottleneck.strategy.LEAK,
  });
  /** When the correct password last came from an address, in milliseconds; oldest first. */
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
