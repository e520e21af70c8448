// A target of notifications for tests.
import type { NotifyTarget } from '../../src/config/settings.ts';
import { Secret } from '../../src/core/secret.ts';
import { WEBHOOK_SECRET } from './webhook-receiver.ts';

/** A webhook that is told of a problem at once, and again after an hour. `own` says what is other. */
export function notifyTarget(name: string, url: string, own: Partial<NotifyTarget> = {}): NotifyTarget {
  return {
    name,
    kind: 'webhook',
    url: new Secret(url),
    secret: new Secret(WEBHOOK_SECRET),
    severity: 'error',
    afterMs: 1,
    remindMs: 3_600_000,
    gatherMs: 1,
    hasDigest: false,
    events: [],
    ...own,
  };
}
