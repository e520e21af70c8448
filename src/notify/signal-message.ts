// Messages about signals: new signals after a tick, and the weekly brief. docs/signals.md describes the fields.
import { count } from '../core/numbers.ts';
import { asTyped } from '../core/own-command.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Brief } from './brief.ts';
import { type Line, line, linksTo } from './lines.ts';

export type ToldSignal = Readonly<{ rule: string; title: string; week: IsoDate; text: string; page: string | null }>;

export type SignalMessage = Readonly<{
  type: 'signals' | 'brief';
  timestamp: string;
  data: Readonly<{
    account: string;
    /** The account's name, or `Account <number>` if no row has one. */
    name: string;
    /** The newest week that rules have evaluated, or else the newest published week; null if there is neither. */
    week: IsoDate | null;
    count: number;
    signals: readonly ToldSignal[];
    /** Number of signals that are not in `signals`. */
    more: number;
    /** Signals of earlier weeks found since the last message, because a week was loaded late or revised. `lateCount` counts all. */
    late: readonly ToldSignal[];
    lateCount: number;
    /** Signals that the target was told about and that a revision removed. `takenBackCount` counts all. */
    takenBack: readonly ToldSignal[];
    takenBackCount: number;
    /** Rules that cannot say anything about the week, and why. */
    silent: readonly Readonly<{ title: string; reason: string }>[];
    /** What the home board says about the week; null in a message of type `signals`. */
    brief: Brief | null;
    page: string | null;
  }>;
}>;

export function signalLines({ data }: SignalMessage): Line[] {
  const { name, signals, more, late, lateCount, takenBack, takenBackCount, silent, brief, page } = data;
  const found = signals.map((signal) => line('item', signal.text, ...linksTo(signal.page, 'look')));
  return [
    ...(brief ? briefHead(brief, data) : [line('head', { bold: `${name}: ${newsOf(data)}` })]),
    // Before the lists, since a long Slack text is cut at its end.
    ...(page === null ? [] : [line('text', { link: page, text: 'Open the boards' })]),
    ...(brief && found.length > 0 ? [line('section', { bold: 'Worth a look' })] : []),
    ...found,
    ...(more > 0
      ? [line('item', `and ${more} more`, ...(page === null ? [{ command: asTyped('searchmill signals') }] : linksTo(page, 'all')))]
      : []),
    ...pastLines('Found late, in earlier weeks', late, lateCount),
    ...pastLines('Taken back by a revision', takenBack, takenBackCount),
    ...(brief ? briefLines(brief) : []),
    ...(silent.length > 0 ? [line('section', { bold: 'Silent rules, and why' })] : []),
    ...silent.map(({ title, reason }) => line('item', `${title}: ${reason}`)),
  ];
}

/** Signals of earlier weeks, each with its week. */
function pastLines(title: string, signals: readonly ToldSignal[], number: number): Line[] {
  if (signals.length === 0) return [];
  return [
    line('section', { bold: title }),
    ...signals.map(({ week, text, page }) => line('item', `Week of ${week}: ${text}`, ...linksTo(page, 'look'))),
    ...(number > signals.length ? [line('item', `and ${number - signals.length} more`)] : []),
  ];
}

function newsOf({ count: number, week, lateCount, takenBackCount }: SignalMessage['data']): string {
  if (number > 0) return `${count(number, 'signal')} in the week of ${week ?? '–'}`;
  return lateCount > 0 ? `${count(lateCount, 'signal')} found late, in earlier weeks` : `${count(takenBackCount, 'signal')} taken back`;
}

function briefHead({ facts: [first, ...facts] }: Brief, { name, week, count: number }: SignalMessage['data']): Line[] {
  return [
    line('head', { bold: `${name}: the week of ${week ?? '–'}` }, first?.text ?? 'There are no figures.'),
    ...facts.map(({ text }) => line('text', text)),
    ...(number === 0 ? [line('text', 'The rules found nothing that is worth a look.')] : []),
  ];
}

function briefLines({ figures, missing, unread }: Brief): Line[] {
  return [
    ...(figures.length > 0 ? [line('section', { bold: 'Figures' })] : []),
    ...figures.map(({ title, text }) => line('item', { bold: `${title}:` }, text)),
    line('section', { bold: missing.title }, ...(missing.more > 0 ? linksTo(missing.page, 'all') : [])),
    ...missing.rows.map((row) => line('item', row)),
    ...(missing.more > 0 ? [line('item', `and ${missing.more} more`)] : []),
    ...(missing.rows.length === 0 ? [line('text', missing.empty)] : []),
    ...unread.map((text) => line('text', text)),
  ];
}
