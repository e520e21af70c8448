// When a job looks for new weeks: a cron expression in a time zone.
import { Cron } from 'croner';
import { z } from 'zod';
import { QUOTES_IN_TEXT } from './explain-finding.ts';
import { findingProblem, section } from './fields.ts';
import { nearestName } from './nearest.ts';

/** What is wrong with a cron expression, or undefined. */
function cronProblem(expression: string): string | undefined {
  if (/["'\u2018\u2019\u201c\u201d]/.test(expression)) return QUOTES_IN_TEXT;
  if (expression.startsWith('@')) return 'is a short name, which is not supported';
  if (/^(?:CRON_)?TZ=/i.test(expression)) return 'has a time zone in it, which belongs in timezone';
  const fields = expression.trim().split(/\s+/);
  if (fields.length === 6) return 'has 6 fields: there is none for seconds';
  if (fields.length !== 5) return `has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`;
  // Extensions of croner; the queue's scheduler, which reads the same expression, does not know them.
  if (/\dW|LW|\+/i.test(expression)) return 'uses W or +, which are not supported';
  try {
    const cron = new Cron(expression, { mode: '5-part', paused: true });
    return cron.nextRun() ? undefined : 'names a day that never comes';
  } catch {
    // Croner's message quotes the expression, which may contain the value of a variable.
    const unreadable = CRON_FIELDS.find((_, at) => !isReadable(CRON_FIELDS.map((__, each) => (each === at ? fields[at] : '*')).join(' ')));
    return unreadable ? `cannot be read in its ${unreadable}` : 'has a field that cannot be read';
  }
}

/** With what each may have. */
const CRON_FIELDS = [
  'minute (0 to 59)',
  'hour (0 to 23)',
  'day of month (1 to 31)',
  'month (1 to 12 or JAN to DEC)',
  'day of week (0 to 7 or SUN to SAT)',
] as const;

function isReadable(expression: string): boolean {
  try {
    new Cron(expression, { mode: '5-part', paused: true });
    return true;
  } catch {
    return false;
  }
}

function isTimezone(name: string): boolean {
  // Offsets are accepted by newer Node releases only.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const cronField = z.string().check(findingProblem(cronProblem)).meta({
  description: 'When to look for due weeks: minute, hour, day of month, month, day of week.',
  expected: 'a cron expression of five fields, such as "0 6 * * 1" (Mondays at 6:00)',
});

const timezoneField = z
  .string()
  .check((context) => {
    if (isTimezone(context.value)) return;
    const nearest = nearestName(context.value, Intl.supportedValuesOf('timeZone'));
    context.issues.push({ code: 'custom', message: 'is not a time zone', params: { nearest }, input: context.value });
  })
  .meta({
    description: 'Time zone of the schedule, and of the day on which a week is over.',
    expected: 'the name of a time zone, such as Europe/Berlin or UTC',
  });

export const scheduleField = section(
  { cron: cronField.default('0 6 * * 1'), timezone: timezoneField.default('UTC') },
  'When the job runs. A job overrides single keys of defaults.',
);
