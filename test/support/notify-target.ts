// A target of notifications for tests.
import type { NotifyAddress, NotifyRules, NotifyTarget } from '../../src/config/notify.ts';
import { Secret } from '../../src/core/secret.ts';
import { WEBHOOK_SECRET } from './webhook-receiver.ts';

/** A webhook, or another address, that is told of a problem at once, and again after an hour. `own` says what is other. */
export function notifyTarget(name: string, to: string | NotifyAddress, own: Partial<NotifyRules> = {}): NotifyTarget {
  const address = typeof to === 'string' ? ({ kind: 'webhook', url: new Secret(to), secret: new Secret(WEBHOOK_SECRET) } as const) : to;
  return {
    name,
    ...address,
    severity: 'error',
    afterMs: 1,
    remindMs: 3_600_000,
    gatherMs: 1,
    hasDigest: false,
    events: [],
    ...own,
  };
}
