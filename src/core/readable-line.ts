// A log line for people: `12:00:01 published acme-brands 2026-11-08  306 rows (+306) 0.4 s`.
import { styleText } from 'node:util';
import { escapeControls, escapeInvisible } from './invisible.ts';
import { formatNumber } from './numbers.ts';

type Event = Readonly<Record<string, unknown>>;
type Colour = 'dim' | 'red' | 'green' | 'yellow';

const LEVEL_COLOURS: Readonly<Record<string, Colour>> = { trace: 'dim', debug: 'dim', warn: 'yellow', error: 'red', fatal: 'red' };
/** Fields that are already at the start of the line, or are useless on a terminal. */
const SHOWN_APART = new Set(['time', 'level', 'msg', 'job', 'window', 'err', 'instance', 'dataset', 'slice']);
const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/;

/** Returns a function that converts a JSON line. Text from outside can neither break the line nor control the terminal. */
export function readableLines(isColoured: boolean): (line: string) => string {
  const paint = (colour: Colour, text: string): string => (isColoured ? styleText(colour, text, { validateStream: false }) : text);
  const shown = (_: string, value: unknown): unknown => (typeof value === 'string' ? onOneLine(escapeControls(value)) : value);
  return (line) => `${escapeInvisible(onOneLine(describe(JSON.parse(line, shown) as Event, paint)))}\n`;
}

const onOneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ');

function describe(event: Event, paint: (colour: Colour, text: string) => string): string {
  const { time, level, msg, job, window, err } = event;
  const colour = LEVEL_COLOURS[String(level)];
  const said = String(msg ?? '');
  const isPublication = msg === 'published' && 'rows' in event;
  const head = [
    paint('dim', timeOfDay(time)),
    ...(colour ? [paint(colour, String(level))] : []),
    isPublication ? paint('green', said) : said,
    ...[job, window && firstDay(String(window))].filter(Boolean).map(String),
  ];
  const error = err === undefined ? '' : `: ${describeValue(err)}`;
  const rest = isPublication ? describePublication(event) : describeFields(event);
  return `${head.join(' ')}${error}${rest && `  ${rest}`}`;
}

function timeOfDay(time: unknown): string {
  const at = new Date(String(time));
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** One week as its first day; several weeks unchanged. */
function firstDay(window: string): string {
  const [, start = '', end = ''] = WEEK.exec(window) ?? [];
  return Date.parse(end) - Date.parse(start) === 6 * DAY_MS ? start : window;
}

function describePublication({ rows, inserted, updated, deleted, quarantined, ms }: Event): string {
  const changes = Object.entries({ '+': inserted, '~': updated, '-': deleted }).filter(([, amount]) => Number(amount) > 0);
  const changed = changes.map(([sign, amount]) => `${sign}${formatNumber(Number(amount))}`).join(' ') || 'unchanged';
  const lost = Number(quarantined) > 0 ? `, ${formatNumber(Number(quarantined))} in quarantine` : '';
  return `${formatNumber(Number(rows))} rows (${changed})${lost} ${(Number(ms) / 1000).toFixed(1)} s`;
}

const describeFields = (event: Event): string =>
  Object.entries(event)
    .filter(([name]) => !SHOWN_APART.has(name))
    .map(([name, value]) => `${name}=${describeValue(value)}`)
    .join(' ');

function describeValue(value: unknown): string {
  if (typeof value === 'string') return value;
  const { message } = (value ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(value);
}
