// A message as Slack shows it. Whatever comes from outside is escaped: it can neither mention anybody nor make up a link.

import { count, formatNumber } from '../core/numbers.ts';
import { asTyped } from '../core/own-command.ts';
import type { Digest } from './digest.ts';
import type { EventMessage } from './events.ts';
import type { ProblemMessage, ToldProblem } from './messages.ts';

/** Slack cuts longer ones. */
const MAX_SLACK_TEXT = 3_900;
const MAX_SLACK_JOBS = 20;

export type TestMessage = Readonly<{ type: 'test'; timestamp: string; data: Readonly<{ text: string }> }>;
export type Message = ProblemMessage | Digest | EventMessage | TestMessage;

const HEADS = { 'problem.began': 'New', 'problem.lasts': 'Still there', 'problem.ended': 'Recovered' } as const;

export function slackText(message: Message): string {
  if (message.type === 'test') return escapeMarks(message.data.text);
  const lines = linesOf(message);
  // Whole lines only: a cut inside one could open a mark.
  let length = 0;
  const fitting = lines.filter((line) => {
    length += line.length + 1;
    return length <= MAX_SLACK_TEXT;
  });
  return fitting.length === lines.length ? fitting.join('\n') : [...fitting, '…'].join('\n');
}

function linesOf(message: Exclude<Message, TestMessage>): string[] {
  if (message.type === 'digest') return digestLines(message.data);
  return isAboutWeek(message) ? eventLines(message) : problemLines(message);
}

const isAboutWeek = (message: ProblemMessage | EventMessage): message is EventMessage => message.type in EVENT_HEADS;

const EVENT_HEADS = { 'week.published': 'Published', 'week.held': 'Held', 'week.revised': 'Revised' } as const;

function eventLines({ type, data: { job, week, counts, objections, page } }: EventMessage): string[] {
  const rows = Object.entries(counts).flatMap(([name, number]) => (number > 0 ? [`${formatNumber(number)} ${name}`] : []));
  return [
    `*${EVENT_HEADS[type]}: ${escapeMarks(job)} ${week}* rows: ${rows.join(', ') || 'none'}${page === null ? '' : ` <${page}|page>`}`,
    ...objections.map((objection) => `   ${escapeMarks(objection)}`),
  ];
}

function problemLines({ type, data }: ProblemMessage): string[] {
  const { kind, meaning, count: number, problems, more, page } = data;
  return [
    `*${HEADS[type]}: ${escapeMarks(kind)}${number === 1 ? '' : ` (${number})`}* ${type === 'problem.ended' ? '' : escapeMarks(meaning)}`.trim(),
    ...problems.flatMap(oneProblem),
    ...(more > 0 ? [`• and ${more} more; \`${asTyped('searchmill status')}\``] : []),
    ...(page === null ? [] : [`<${encodeURI(page)}|Open the pages>`]),
  ];
}

function oneProblem({ title, why, commands, page }: ToldProblem): string[] {
  return [
    `• ${escapeMarks(title)}${page === null ? '' : ` <${page}|page>`}`,
    ...why.map((line) => `   ${escapeMarks(line)}`),
    ...commands.map((command) => `   \`${escapeMarks(command).replaceAll('`', "'")}\``),
  ];
}

function digestLines({ verdict, weeks, problems, loads, jobs, more }: Digest['data']): string[] {
  const left = more + Math.max(0, jobs.length - MAX_SLACK_JOBS);
  return [
    `*${escapeMarks(verdict)}* ${weeks.published} of ${count(weeks.expected, 'week')} published, ${weeks.held} held, ${weeks.underWay} under way, ${count(problems, 'problem')}.`,
    `${count(loads, 'load')} since the last digest:`,
    ...jobs
      .slice(0, MAX_SLACK_JOBS)
      .map(({ job, inserted, updated, deleted }) => `• ${escapeMarks(job)}: +${inserted} rows, ${updated} changed, -${deleted}`),
    ...(left > 0 ? [`• and ${count(left, 'more job')}`] : []),
  ];
}

/** https://docs.slack.dev/messaging/formatting-message-text, "Escaping text". */
function escapeMarks(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
