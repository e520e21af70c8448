// Command-line values: checked where they are read, with a message that says what is expected.
import { InvalidArgumentError } from 'commander';
import { factsOf } from '../config/fields.ts';
import { basePathField } from '../config/pages.ts';
import { FIRST_DAY, type IsoDate, isIsoDate } from '../core/weeks.ts';

/** A whole number from 1. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 1.');
  return Number(text);
}

/** A whole number from 0 to 65535. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Expected a port, 0 to 65535.');
  return Number(text);
}

/** A calendar date from FIRST_DAY on. */
export function parseDate(text: string): IsoDate {
  if (!isIsoDate(text)) throw new InvalidArgumentError('Expected a date such as 2026-11-08.');
  if (text < FIRST_DAY) throw new InvalidArgumentError(`Nothing before ${FIRST_DAY} is loaded. Expected a later date, such as 2026-11-08.`);
  return text;
}

/** A path below which pages are served, without a trailing slash. */
export function parseBasePath(text: string): string {
  const { success, data, error } = basePathField.safeParse(text);
  if (!success) throw new InvalidArgumentError(`It ${error.issues[0]?.message}. Expected ${factsOf(basePathField).expected}.`);
  return data.replace(/\/$/, '');
}
