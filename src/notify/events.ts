// Messages about weeks, one for each change of a week, for programs that react when the tables have changed. docs/events.md describes
// the fields. An event is written in the commit that changes the week, so none is lost and none becomes two messages.

import { cutText, onOneLine } from '../core/invisible.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { WeekEvent } from '../ledger/notifications.ts';
import { weekAddress } from '../operations/parts.tsx';

const MAX_OBJECTIONS = 5;
const MAX_TEXT = 400;

export type EventMessage = Readonly<{
  type: `week.${WeekEvent['kind']}`;
  timestamp: string;
  data: Readonly<{
    job: string;
    dataset: string;
    account: string;
    /** The Sunday that begins the week. */
    week: IsoDate;
    /** The window that was loaded as a whole; `counts` cover all of it. */
    window: Readonly<{ start: IsoDate; end: IsoDate }>;
    /** As in search_reports.changed_weeks. Null for a held week. */
    publication: number | null;
    execution: number;
    /** Cursors are compared only if the ledger's mark is the same. */
    ledger: string;
    cursor: number;
    counts: Readonly<Record<string, number>>;
    /** Why the week is held; empty for other types. */
    objections: readonly string[];
    page: string | null;
  }>;
}>;

export function eventMessage(event: WeekEvent, pages: string | undefined): EventMessage {
  const { kind, job, dataset, accountId, week, windowStart, windowEnd, publication, execution, ledger, cursor, changedAt } = event;
  const objections = (event.objections ?? []).slice(0, MAX_OBJECTIONS).map(({ message }) => cutText(onOneLine(message), MAX_TEXT));
  return {
    type: `week.${kind}`,
    timestamp: changedAt.toISOString(),
    data: {
      job,
      dataset,
      account: accountId,
      week,
      window: { start: windowStart, end: windowEnd },
      publication,
      execution,
      ledger,
      cursor,
      counts: countsOf(event),
      objections: kind === 'held' ? objections : [],
      page: pages === undefined ? null : pages + weekAddress(job, windowStart),
    },
  };
}

/** Counts by name. Unknown ones are left out: retention may have removed the load meanwhile. */
function countsOf(event: WeekEvent): Record<string, number> {
  const { inserted, updated, unchanged, deleted, staged, quarantined, published } = event;
  const counts = event.kind === 'held' ? { staged, quarantined, published } : { inserted, updated, unchanged, deleted, quarantined };
  return Object.fromEntries(Object.entries(counts).flatMap(([name, rows]) => (rows === null ? [] : [[name, rows]])));
}
