// Reports problems, independent of the loads: looks for them and sends messages on timers of its own. Every process of the service does
// this, so that the others report when one dies.
import { randomUUID } from 'node:crypto';
import type { Notify } from '../config/notify.ts';
import { SECOND } from '../core/clock.ts';
import { closing } from '../core/closing.ts';
import { describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { Round } from '../core/round.ts';
import type { Proxies } from '../egress/route.ts';
import { registerTargets } from '../ledger/notifications.ts';
import type { Pool } from '../postgres/pool.ts';
import { sendWaiting } from './send.ts';
import { tellSignals } from './tell-signals.ts';
import { watchProblems } from './watch.ts';

const WATCH_EVERY_MS = 30 * SECOND;
const SEND_EVERY_MS = 5 * SECOND;
/** How long a stop waits for a message that is being sent. */
const FINISHING_MS = 2 * SECOND;

export type NotifierOptions = Readonly<{
  notify: Notify;
  pool: Pool;
  log: Logger;
  /** The proxies for messages over HTTP. */
  proxies: Proxies;
  now?: () => Date;
  watchEveryMs?: number;
  sendEveryMs?: number;
  retryBaseMs?: number;
}>;

export interface Notifier {
  /** Waits up to 2 s for a message that is being sent. One that is aborted stays in the outbox and is sent again. */
  stop(): Promise<void>;
}

/** Starts the rounds that look and send; none if there are no targets. Throws StoreError. */
export async function startNotifier(options: NotifierOptions): Promise<Notifier & AsyncDisposable> {
  const { notify, pool, log, proxies, now = () => new Date(), watchEveryMs = WATCH_EVERY_MS, sendEveryMs = SEND_EVERY_MS } = options;
  const { targets } = notify;
  const stopping = new AbortController();
  const cut = new AbortController();
  const rounds: Round[] = [];
  if (targets.length > 0) {
    await registerTargets(
      pool,
      targets.map(({ name, events, kind }) => ({ name, hasEvents: events.length > 0, lacks: kind === 'unset' })),
    );
    const onError = (what: string) => (error: unknown) => log.warn({ err: describeError(error) }, what);
    const sender = {
      owner: randomUUID(),
      log,
      proxies,
      stopping: stopping.signal,
      cut: cut.signal,
      ...(options.retryBaseMs && { retryBaseMs: options.retryBaseMs }),
    };
    // Less than the interval, since rounds may start up to a tenth early.
    const look = async () => {
      const watched = await watchProblems(pool, notify, watchEveryMs * 0.8, now);
      if (watched === undefined) return;
      for (const failure of watched.failures) onError('messages for a target could not be written, will be retried')(failure);
      // After the commit of watchProblems, so that signals cannot delay messages about problems.
      await tellSignals(pool, notify, watched.status, now());
    };
    rounds.push(new Round(watchEveryMs, look, onError('problems or signals could not be looked for, will be retried')));
    // One round per target, so that a target that hangs does not delay the others.
    for (const target of targets) {
      const send = () => sendWaiting(pool, target, sender);
      rounds.push(new Round(sendEveryMs, send, onError('notifications could not be sent, will be retried')));
    }
  }
  // Not awaited, so that the first rounds do not delay the start of the process.
  for (const round of rounds) void round.start();
  const notifier: Notifier = {
    async stop() {
      stopping.abort();
      const timer = setTimeout(() => cut.abort(), FINISHING_MS);
      await Promise.all(rounds.map((round) => round.stop()));
      clearTimeout(timer);
    },
  };
  return closing(notifier, () => notifier.stop());
}
