// Messages about signals: those of a tick, and the brief of the week. docs/signals.md has the fields.
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
    /** As people call it; its number where no row says. */
    name: string;
    /** The newest week that rules have looked at; null where they have looked at none. */
    week: IsoDate | null;
    count: number;
    signals: readonly ToldSignal[];
    /** How many are not among `signals`. */
    more: number;
    /** Signals of earlier weeks that were found since the last message: of weeks loaded late, or revised; `lateCount` is of all of them. */
    late: readonly ToldSignal[];
    lateCount: number;
    /** Signals that it was told of, and that a revision has taken back; `takenBackCount` is of all of them. */
    takenBack: readonly ToldSignal[];
    takenBackCount: number;
    /** Rules that can say nothing of the week, and why. */
    silent: readonly Readonly<{ title: string; reason: string }>[];
    /** What home says of the week; null in a message about signals alone. */
    brief: Brief | null;
    page: string | null;
  }>;
}>;

export function signalLines({ data }: SignalMessage): Line[] {
  const { name, signals, more, late, lateCount, takenBack, takenBackCount, silent, brief, page } = data;
  const found = signals.map((signal) => line('item', signal.text, ...linksTo(signal.page, 'look')));
  return [
    ...(brief ? briefHead(brief, data) : [line('head', { bold: `${name}: ${newsOf(data)}` })]),
    // Before the lists: Slack cuts what is long at its end.
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

/** Signals that are not of the newest week, each with its own. */
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

function briefLines({ figures, movers, notCompared, missing, unread }: Brief): Line[] {
  return [
    ...(figures.length > 0 ? [line('section', { bold: 'Figures' })] : []),
    ...figures.map(({ title, text }) => line('item', { bold: `${title}:` }, text)),
    ...[notCompared, missing].flatMap(({ title, page, rows, more, empty }) => [
      line('section', { bold: title }, ...(more > 0 ? linksTo(page, 'all') : [])),
      ...rows.map((row) => line('item', row)),
      ...(more > 0 ? [line('item', `and ${more} more`)] : []),
      ...(rows.length === 0 ? [line('text', empty)] : []),
    ]),
    ...movers.flatMap(({ title, page, sides }) => [
      line('section', { bold: title }, ...linksTo(page, 'all')),
      ...sides.map(({ name, things }) => line('item', { bold: `${name}:` }, things.join('; '))),
    ]),
    ...unread.map((text) => line('text', text)),
  ];
}
