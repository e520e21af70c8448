// What has changed between two readings of the configuration, by the names in the file. Values are never shown: some are secrets.
import { Secret } from '../core/secret.ts';
import { mapInTurns } from '../core/turns.ts';
import type { Connection, Environment, JobsConfig } from './settings.ts';

/** The names that fields of settings have in the file, if not their own name without its unit; undefined for derived fields. */
const WRITTEN_AS: Readonly<Record<string, string | undefined>> = {
  name: undefined,
  filtersDigest: undefined,
  budgetId: undefined,
  isEnabled: 'enabled',
  maxRejectedShare: 'max_rejected',
  maxRejectedRows: 'max_rejected',
  minKeepShare: 'min_keep',
  callsPerMinute: 'limits',
  kind: 'address',
  url: 'address',
  mail: 'address',
  reason: 'address',
  hasDigest: 'digest',
  hasSignals: 'signals',
  briefOn: 'brief',
};
const VARIABLES: Readonly<Record<keyof Environment, string>> = {
  databaseUrl: 'DATABASE_URL',
  redisUrl: 'REDIS_URL',
  configPath: 'SEARCHMILL_CONFIG',
  takeOverMs: 'SEARCHMILL_TAKEOVER_SECONDS',
  logLevel: 'LOG_LEVEL',
  opsHost: 'OPS_HOST',
  opsPort: 'OPS_PORT',
  opsPassword: 'OPS_PASSWORD',
  opsTrustedProxies: 'OPS_TRUSTED_PROXIES',
  traceEndpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  httpProxy: 'HTTP_PROXY',
  httpsProxy: 'HTTPS_PROXY',
  noProxy: 'NO_PROXY',
};

type Named = Readonly<{ name: string }>;

/** One phrase for each change, such as `job acme changed (filters, since)`; none when nothing has changed. In turns. */
export async function describeChanges(before: JobsConfig, after: JobsConfig): Promise<string[]> {
  const jobs = await describeNamed('job', before.jobs, after.jobs);
  const pages = isSame(before.notify.pages, after.notify.pages) ? [] : ['notify changed (pages)'];
  return [
    ...(await describeNamed('connection', [...before.connections.values()], [...after.connections.values()])),
    ...jobs,
    ...pages,
    ...(await describeNamed('target', before.notify.targets, after.notify.targets)),
    ...(isSame(before.pages, after.pages) ? [] : ['pages changed (base_path), which takes effect after a restart']),
    ...describeFields('retention', before.retention, after.retention),
    ...describeFields('signals', before.signals, after.signals),
  ];
}

/** Variables that a running process does not read again. */
export function changedVariables(before: Environment, after: Environment): string[] {
  return (Object.keys(VARIABLES) as (keyof Environment)[]).filter((key) => !isSame(before[key], after[key])).map((key) => VARIABLES[key]);
}

/** Whether calls over a connection would be made as before. */
export const isSameConnection = (before: Connection | undefined, after: Connection): boolean => isSame(before, after);

async function describeNamed<T extends Named>(what: string, before: readonly T[], after: readonly T[]): Promise<string[]> {
  const former = new Map(before.map((each) => [each.name, each]));
  const current = new Set(after.map(({ name }) => name));
  const same = rememberingSame();
  const changes = await mapInTurns(after, (each) => {
    const known = former.get(each.name);
    return known ? describeFields(`${what} ${each.name}`, known, each, same) : [`${what} ${each.name} added`];
  });
  return [...before.filter(({ name }) => !current.has(name)).map(({ name }) => `${what} ${name} removed`), ...changes.flat()];
}

function describeFields<T extends object>(what: string, before: T, after: T, same = isSame): string[] {
  const changed = (Object.keys(after) as (keyof T & string)[]).filter((key) => !same(before[key], after[key]));
  const names = new Set(changed.map(writtenAs).filter((name) => name !== undefined));
  return names.size === 0 ? [] : [`${what} changed (${[...names].sort().join(', ')})`];
}

/** `lookback_weeks` of `lookbackWeeks`, `max_wait` of `maxWaitMs`. */
function writtenAs(field: string): string | undefined {
  if (Object.hasOwn(WRITTEN_AS, field)) return WRITTEN_AS[field];
  return field.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Compares each two objects once: the jobs of an entry share its lists, which may have many thousand values. */
function rememberingSame(): typeof isSame {
  const known = new WeakMap<object, WeakMap<object, boolean>>();
  const same: typeof isSame = (a, b) => {
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
    const others = known.get(a) ?? new WeakMap<object, boolean>();
    known.set(a, others);
    const isAlike = others.get(b) ?? isSame(a, b, same);
    others.set(b, isAlike);
    return isAlike;
  };
  return same;
}

/** Secrets are compared by what they hold, which util.isDeepStrictEqual cannot see. */
function isSame(a: unknown, b: unknown, sameParts: (a: unknown, b: unknown) => boolean = isSame): boolean {
  if (a === b) return true;
  if (a instanceof Secret && b instanceof Secret) return a.reveal() === b.reveal();
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => sameParts(item, b[at]));
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return a instanceof Secret === b instanceof Secret && [...keys].every((key) => sameParts(left[key], right[key]));
}
