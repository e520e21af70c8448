// The text of each message, as lines.
import { count, formatNumber } from '../core/numbers.ts';
import { asTyped } from '../core/own-command.ts';
import type { Digest } from './digest.ts';
import type { EventMessage } from './events.ts';
import { type Line, line, linksTo } from './lines.ts';
import type { ProblemMessage, ToldProblem } from './messages.ts';
import { type SignalMessage, signalLines } from './signal-message.ts';

export type TestMessage = Readonly<{ type: 'test'; timestamp: string; data: Readonly<{ text: string }> }>;
export type Message = ProblemMessage | Digest | EventMessage | SignalMessage | TestMessage;

const MAX_JOBS = 20;
const PROBLEM_HEADS = { 'problem.began': 'New', 'problem.lasts': 'Still there', 'problem.ended': 'Recovered' } as const;
const EVENT_HEADS = { 'week.published': 'Published', 'week.held': 'Held', 'week.revised': 'Revised' } as const;

export function linesOf(message: Message): readonly Line[] {
  if (message.type === 'test') return [line('head', message.data.text)];
  if (message.type === 'digest') return digestLines(message.data);
  if (isAboutSignals(message)) return signalLines(message);
  return isAboutWeek(message) ? eventLines(message) : problemLines(message);
}

type Told = ProblemMessage | EventMessage | SignalMessage;
const isAboutSignals = (message: Told): message is SignalMessage => message.type === 'signals' || message.type === 'brief';
const isAboutWeek = (message: ProblemMessage | EventMessage): message is EventMessage => message.type in EVENT_HEADS;

function eventLines({ type, data: { job, week, counts, objections, page } }: EventMessage): Line[] {
  const rows = Object.entries(counts).flatMap(([name, number]) => (number > 0 ? [`${formatNumber(number)} ${name}`] : []));
  return [
    line('head', { bold: `${EVENT_HEADS[type]}: ${job} ${week}` }, `rows: ${rows.join(', ') || 'none'}`, ...linksTo(page, 'page')),
    ...objections.map((objection) => line('detail', objection)),
  ];
}

function problemLines({ type, data }: ProblemMessage): Line[] {
  const { kind, meaning, count: number, problems, more, page } = data;
  return [
    line('head', { bold: `${PROBLEM_HEADS[type]}: ${kind}${number === 1 ? '' : ` (${number})`}` }, type === 'problem.ended' ? '' : meaning),
    ...problems.flatMap(oneProblem),
    ...(more > 0 ? [line('item', `and ${more} more;`, { command: asTyped('searchmill status') })] : []),
    ...(page === null ? [] : [line('text', { link: page, text: 'Open the pages' })]),
  ];
}

function oneProblem({ title, why, commands, page }: ToldProblem): Line[] {
  return [
    line('item', title, ...linksTo(page, 'page')),
    ...why.map((each) => line('detail', each)),
    ...commands.map((command) => line('detail', { command })),
  ];
}

function digestLines({ verdict, weeks, problems, loads, jobs, more }: Digest['data']): Line[] {
  const left = more + Math.max(0, jobs.length - MAX_JOBS);
  const counts = `${weeks.published} of ${count(weeks.expected, 'week')} published, ${weeks.held} held, ${weeks.underWay} under way`;
  return [
    line('head', { bold: verdict }, `${counts}, ${count(problems, 'problem')}.`),
    line('text', `${count(loads, 'load')} since the last digest:`),
    ...jobs
      .slice(0, MAX_JOBS)
      .map(({ job, inserted, updated, deleted }) => line('item', `${job}: +${inserted} rows, ${updated} changed, -${deleted}`)),
    ...(left > 0 ? [line('item', `and ${count(left, 'more job')}`)] : []),
  ];
}
