// The history of a job as text: one line per event, as wide as the terminal.
import type { PastEvent } from '../ledger/history.ts';
import { type Cell, formatTable } from './table.ts';
import { wrapText } from './wrap.ts';

const DONE: Readonly<Record<string, string>> = {
  approve: 'approved',
  discard: 'discarded',
  cancel: 'cancelled',
  reload: 'asked for again',
  pause: 'paused',
  resume: 'resumed',
  expire: 'removed from the table',
};
/** Rows that a load changed or left. */
const COUNTED = ['inserted', 'updated', 'unchanged', 'deleted', 'quarantined'] as const;
const HEADER = ['at (UTC)', 'window', 'what', ...COUNTED];
const INDENT = '    ';

/** A table if it fits into `width` columns; longer details are wrapped below their lines. Otherwise several lines per event. */
export function describePast(past: readonly PastEvent[], width: number): string {
  const whole = formatTable(
    [...HEADER, ''],
    past.map((event) => [...describeEvent(event), event.detail ?? '']),
  );
  if (fits(whole, width)) return whole;
  const [header = '', rule = '', ...rows] = formatTable(HEADER, past.map(describeEvent)).split('\n');
  const isWide = fits([rule, ...rows].join('\n'), width);
  const lines = past.flatMap((event, at) => [
    ...(isWide ? [rows[at] ?? ''] : describeNarrow(event, width)),
    ...wrapText(event.detail ?? '', width, INDENT),
  ]);
  return (isWide ? [header, rule, ...lines] : lines).join('\n');
}

const fits = (text: string, width: number): boolean => text.split('\n').every((line) => line.length <= width);

function describeEvent(past: PastEvent): Cell[] {
  const { at, event, reason, windowStart, windowEnd, actor, isApproved } = past;
  const why = reason === null ? DONE[event] : reason.replace('_', '-');
  const ending = event === 'published' ? (isApproved ? ', approved' : '') : reason === null ? '' : `, ${event.replace('_', ' ')}`;
  const what = reason === null ? `${why ?? event} by ${actor}` : `${why}${ending}`;
  return [
    at.toISOString().slice(0, 19).replace('T', ' '),
    windowStart === null ? 'all' : `${windowStart}..${windowEnd}`,
    what,
    ...COUNTED.map((name) => past[name]),
  ];
}

/** Time, window and event on one line, and below it the rows that changed or stayed. */
function describeNarrow(past: PastEvent, width: number): string[] {
  const [first = '', ...rest] = wrapText(describeEvent(past).slice(0, 3).join(' '), width - INDENT.length);
  const counts = COUNTED.filter((name) => past[name]).map((name) => `${past[name]} ${name}`);
  return [first, ...rest.map((line) => INDENT + line), ...wrapText(counts.join(', '), width, INDENT)];
}
