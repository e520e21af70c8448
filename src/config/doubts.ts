// What is allowed in the file and probably not meant: warnings about secrets that are written in it, texts that look like variables,
// numbers that are read otherwise than they look, and schedules that run for nothing.
import { Cron } from 'croner';
import { bareDomain } from '../core/bare-domain.ts';
import { DAY, HOUR } from '../core/clock.ts';
import { leadsToLoopback } from '../core/loopback.ts';
import { count } from '../core/numbers.ts';
import { secretFields } from './fields.ts';
import { isMapping, mappingAt, type Path, type Remark, valueAt } from './remarks.ts';
import { connectionSchema, USUAL_LOOKBACK } from './schema.ts';
import type { YamlSource } from './yaml-source.ts';

const SECRETS = secretFields(connectionSchema.shape.auth.options);
/** How shells, Windows, make and templates write a variable. */
const FOREIGN_VARIABLE = /^(?:\$[A-Za-z_]\w*|\$env:\w+|\$\(\w+\)|%\w+%|\{\{.*\}\}|<%.*%>)$/;

/** Warnings about a file without mistakes. */
export function findDoubts(source: YamlSource): Remark[] {
  return [
    ...doubtSecrets(source),
    ...doubtLoopbacks(source),
    ...doubtTexts(source.value, [], source),
    ...doubtSchedules(source),
    ...doubtCompetitors(source),
    ...doubtKeptWeeks(source),
  ];
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

/** The credential of a service goes to whatever listens there. The sandbox's is written in the file, or the default of a variable. */
function doubtLoopbacks(source: YamlSource): Remark[] {
  return Object.entries(mappingAt(source.value, ['connections'])).flatMap(([name, connection]) => {
    if (!isMapping(connection) || !isOnThisMachine(connection.base_url)) return [];
    const given = SECRETS.map((field): Path => ['connections', name, 'auth', field]);
    if (!given.some((path) => source.hasVariable(path) && !source.usesDefault(path))) return [];
    const text =
      "is an address of this machine, to which the credential of a variable is sent; expected the service's address, unless a gateway runs here";
    return [source.remark(['connections', name, 'base_url'], text)];
  });
}

function isOnThisMachine(address: unknown): boolean {
  return typeof address === 'string' && URL.canParse(address) && leadsToLoopback(new URL(address).hostname);
}

/** Texts that are a variable in another notation, which are sent as they are written. */
function doubtTexts(value: unknown, path: Path, source: YamlSource): Remark[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => doubtTexts(item, [...path, index], source));
  if (isMapping(value)) return Object.entries(value).flatMap(([key, item]) => doubtTexts(item, [...path, key], source));
  if (typeof value === 'number' && /^[-+]?0\d|^0[xo]|e/i.test(source.writtenAt(path) ?? ''))
    return [source.remark(path, `is read as ${value}; expected a number without leading zeros, prefix or exponent, or a text in quotes`)];
  const thousands = typeof value === 'number' ? /^(\d{1,3})((?:\.0{3})+)$/.exec(source.writtenAt(path) ?? '') : null;
  if (thousands)
    return [
      source.remark(path, `is read as ${value}, since decimals follow a point; expected ${thousands[0].replaceAll('.', '')} or ${value}`),
    ];
  if (typeof value !== 'string' || source.hasVariable(path)) return [];
  if (value.trim() !== value)
    return [source.remark(path, `${/\s$/.test(value) ? 'ends' : 'begins'} with a blank or a line break; expected none there`)];
  if (!FOREIGN_VARIABLE.test(value)) return [];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of variables
  return [source.remark(path, 'looks like a variable but is taken as it is; expected "${NAME}"')];
}

/** The defaults and each job. */
function placesOf(source: YamlSource): Path[] {
  const jobs = valueAt(source.value, ['jobs']);
  return [['defaults'], ...(Array.isArray(jobs) ? jobs.map((_, index): Path => ['jobs', index]) : [])];
}

/** Weeks end once a week, and every tick reads what is known of all weeks. */
function doubtSchedules(source: YamlSource): Remark[] {
  return placesOf(source).flatMap((place) => {
    const path = [...place, 'schedule', 'cron'];
    const cron = valueAt(source.value, path);
    if (typeof cron !== 'string') return [];
    const [first, second] = new Cron(cron, { mode: '5-part', paused: true, timezone: 'UTC' }).nextRuns(2);
    const elapsed = first && second ? second.getTime() - first.getTime() : DAY;
    if (elapsed >= HOUR && elapsed <= 7 * DAY) return [];
    const often = elapsed < HOUR ? 'more than once an hour, though they end once' : 'less than once';
    return [source.remark(path, `looks for new weeks ${often} a week; expected such as "0 6 * * 1"`)];
  });
}

/** A site of ours among the competitors is compared with itself. */
function doubtCompetitors(source: YamlSource): Remark[] {
  return placesOf(source).flatMap((place) => {
    const domainsAt = (field: string) =>
      textsAt(source.value, [...place, field]).map(({ path, text }) => ({ path, domain: bareDomain(text) }));
    const own = new Set(domainsAt('own_domains').map(({ path, domain }) => JSON.stringify([accountOf(path), domain])));
    return domainsAt('competitors')
      .filter(({ path, domain }) => own.has(JSON.stringify([accountOf(path), domain])))
      .map(({ path }) => source.remark(path, 'is one of own_domains, too; expected a site of others'));
  });
}

/** The account of a domain in a list by account: `[..., 'own_domains', '12345', 0]`. */
const accountOf = (path: Path): unknown => (typeof path.at(-2) === 'string' && /^\d+$/.test(String(path.at(-2))) ? path.at(-2) : null);

/** The texts of a list, or of a mapping of lists. */
function textsAt(root: unknown, path: Path): { path: Path; text: string }[] {
  const value = valueAt(root, path);
  if (typeof value === 'string') return [{ path, text: value }];
  const keys = Array.isArray(value) ? value.map((_, index) => index) : isMapping(value) ? Object.keys(value) : [];
  return keys.flatMap((key) => textsAt(root, [...path, key]));
}

/** Weeks that are loaded again by every run, and removed. */
function doubtKeptWeeks(source: YamlSource): Remark[] {
  return placesOf(source).flatMap((place) => {
    const read = (field: string): unknown => valueAt(source.value, [...place, field]) ?? valueAt(source.value, ['defaults', field]);
    const [kept, again] = [read('keep_weeks'), read('lookback_weeks') ?? USUAL_LOOKBACK];
    const isWritten = ['keep_weeks', 'lookback_weeks'].find((field) => valueAt(source.value, [...place, field]) !== undefined);
    if (typeof kept !== 'number' || typeof again !== 'number' || kept > again || isWritten === undefined) return [];
    const text = `keeps ${count(kept, 'week')}, although ${again === 1 ? 'the week' : `${again} weeks`} before the newest ${again === 1 ? 'is' : 'are'} loaded again (lookback_weeks); expected keep_weeks of at least ${again + 1}`;
    return [source.remark([...place, isWritten], text)];
  });
}
