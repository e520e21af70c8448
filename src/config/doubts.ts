// What is allowed in the file and probably not meant: warnings about secrets that are written in it, texts that look like variables,
// numbers that are read otherwise than they look, and schedules that run for nothing.
import { Cron } from 'croner';
import { HOUR } from '../core/clock.ts';
import { isLoopback } from '../core/loopback.ts';
import { secretFields } from './fields.ts';
import { isMapping, mappingAt, type Path, type Remark, valueAt } from './remarks.ts';
import { connectionSchema } from './schema.ts';
import type { YamlSource } from './yaml-source.ts';

const SECRETS = secretFields(connectionSchema.shape.auth.options);
/** How shells, Windows, make and templates write a variable. */
const FOREIGN_VARIABLE = /^(?:\$[A-Za-z_]\w*|\$env:\w+|\$\(\w+\)|%\w+%|\{\{.*\}\}|<%.*%>)$/;

/** Warnings about a file without mistakes. */
export function findDoubts(source: YamlSource): Remark[] {
  return [...doubtSecrets(source), ...doubtTexts(source.value, [], source), ...doubtSchedules(source)];
}

/** A file with jobs is shared and committed, unlike the environment. The sandbox's token is no secret. */
function doubtSecrets(source: YamlSource): Remark[] {
  return Object.entries(mappingAt(source.value, ['connections'])).flatMap(([name, connection]) => {
    if (!isMapping(connection) || isOnThisMachine(connection.base_url)) return [];
    const paths: Path[] = [
      ...SECRETS.map((field) => ['connections', name, 'auth', field]),
      ...Object.keys(mappingAt(connection, ['headers'])).map((header) => ['connections', name, 'headers', header]),
    ];
    return paths.flatMap((path) => {
      const written = valueAt(source.value, path);
      if (typeof written !== 'string' || source.hasVariable(path) || FOREIGN_VARIABLE.test(written)) return [];
      const text =
        'is written in this file, where everybody who reads the file or its history sees it; ' +
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of variables
        'expected a variable, such as "${SEARCH_API_TOKEN}"';
      return [source.remark(path, text)];
    });
  });
}

function isOnThisMachine(address: unknown): boolean {
  return typeof address === 'string' && URL.canParse(address) && isLoopback(new URL(address).hostname);
}

/** Texts that are a variable in another notation, which are sent as they are written. */
function doubtTexts(value: unknown, path: Path, source: YamlSource): Remark[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => doubtTexts(item, [...path, index], source));
  if (isMapping(value)) return Object.entries(value).flatMap(([key, item]) => doubtTexts(item, [...path, key], source));
  if (typeof value === 'number' && /^[-+]?0\d|^0[xo]|e/i.test(source.writtenAt(path) ?? ''))
    return [source.remark(path, `is read as ${value}; expected a number without leading zeros, prefix or exponent, or a text in quotes`)];
  if (typeof value !== 'string' || source.hasVariable(path) || !FOREIGN_VARIABLE.test(value)) return [];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of variables
  return [source.remark(path, 'looks like a variable but is taken as it is; expected "${NAME}"')];
}

/** Weeks end once a week, and every tick reads what is known of all weeks. */
function doubtSchedules(source: YamlSource): Remark[] {
  const jobs = valueAt(source.value, ['jobs']);
  const places: Path[] = [['defaults'], ...(Array.isArray(jobs) ? jobs.map((_, index): Path => ['jobs', index]) : [])];
  return places.flatMap((place) => {
    const path = [...place, 'schedule', 'cron'];
    const cron = valueAt(source.value, path);
    if (typeof cron !== 'string') return [];
    const [first, second] = new Cron(cron, { mode: '5-part', paused: true, timezone: 'UTC' }).nextRuns(2);
    if (!first || !second || second.getTime() - first.getTime() >= HOUR) return [];
    return [source.remark(path, 'looks for new weeks more than once an hour, though they end once a week; expected such as "0 6 * * 1"')];
  });
}
