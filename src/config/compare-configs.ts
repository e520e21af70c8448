// What has changed between two readings of the configuration, by the names it is written with. No value is ever told: some are secrets.
import { Secret } from '../core/secret.ts';
import type { Connection, Environment, Job, JobsConfig, NotifyTarget, Retention } from './settings.ts';

/** A field of settings, and what it is written as; undefined for what follows from others. */
type Written<T> = Readonly<Record<keyof T, string | undefined>>;

const JOB_FIELDS: Written<Job> = {
  name: undefined,
  isEnabled: 'enabled',
  dataset: 'dataset',
  connection: 'connection',
  accountId: 'account_id',
  filters: 'filters',
  filtersDigest: undefined,
  schedule: 'schedule',
  since: 'since',
  lookbackWeeks: 'lookback_weeks',
  keepWeeks: 'keep_weeks',
  weeksPerQuery: 'weeks_per_query',
  weekStartsOn: 'week_starts_on',
  pageSize: 'page_size',
  maxRejectedShare: 'max_rejected',
  maxRejectedRows: 'max_rejected',
  minKeepShare: 'min_keep',
  allowEmpty: 'allow_empty',
  maxWaitMs: 'max_wait',
  maxSubmits: 'max_submits',
  ownDomains: 'own_domains',
};
const CONNECTION_FIELDS: Written<Connection> = {
  name: undefined,
  baseUrl: 'base_url',
  auth: 'auth',
  headers: 'headers',
  callsPerMinute: 'limits',
  budgetId: undefined,
};
const TARGET_FIELDS: Written<NotifyTarget> = {
  name: undefined,
  kind: 'address',
  url: 'address',
  secret: 'secret',
  severity: 'severity',
  afterMs: 'after',
  remindMs: 'remind',
  gatherMs: 'gather',
  hasDigest: 'digest',
};
const RETENTION_FIELDS: Written<Retention> = {
  executionsMs: 'executions',
  publicationsMs: 'publications',
  quarantineMs: 'quarantine',
  driftMs: 'drift',
  callsMs: 'calls',
};
const ENVIRONMENT_FIELDS: Written<Environment> = {
  databaseUrl: 'DATABASE_URL',
  redisUrl: 'REDIS_URL',
  configPath: 'SEARCHMILL_CONFIG',
  takeOverMs: 'SEARCHMILL_TAKEOVER_SECONDS',
  logLevel: 'LOG_LEVEL',
  opsHost: 'OPS_HOST',
  opsPort: 'OPS_PORT',
  opsPassword: 'OPS_PASSWORD',
  traceEndpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
};

type Named = Readonly<{ name: string }>;

/** One phrase for each change, such as `job acme changed (filters, since)`; none when nothing has changed. */
export function describeChanges(before: JobsConfig, after: JobsConfig): string[] {
  const pages = isSame(before.notify.pages, after.notify.pages) ? [] : ['notify changed (pages)'];
  return [
    ...describeNamed('connection', CONNECTION_FIELDS, [...before.connections.values()], [...after.connections.values()]),
    ...describeNamed('job', JOB_FIELDS, before.jobs, after.jobs),
    ...pages,
    ...describeNamed('target', TARGET_FIELDS, before.notify.targets, after.notify.targets),
    ...describeFields('retention', changedFields(RETENTION_FIELDS, before.retention, after.retention)),
  ];
}

/** Variables that a running process goes on with as they were when it started. */
export const changedVariables = (before: Environment, after: Environment): string[] => changedFields(ENVIRONMENT_FIELDS, before, after);

/** Whether calls over a connection would be made as before. */
export const isSameConnection = (before: Connection | undefined, after: Connection): boolean => isSame(before, after);

function describeNamed<T extends Named>(what: string, fields: Written<T>, before: readonly T[], after: readonly T[]): string[] {
  const former = new Map(before.map((each) => [each.name, each]));
  const current = new Set(after.map(({ name }) => name));
  return [
    ...before.filter(({ name }) => !current.has(name)).map(({ name }) => `${what} ${name} removed`),
    ...after.flatMap((each) => {
      const known = former.get(each.name);
      return known ? describeFields(`${what} ${each.name}`, changedFields(fields, known, each)) : [`${what} ${each.name} added`];
    }),
  ];
}

const describeFields = (what: string, fields: readonly string[]): string[] =>
  fields.length === 0 ? [] : [`${what} changed (${fields.join(', ')})`];

function changedFields<T extends object>(fields: Written<T>, before: T, after: T): string[] {
  const names = (Object.keys(fields) as (keyof T)[]).filter((key) => !isSame(before[key], after[key])).map((key) => fields[key]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Secrets are compared by what they hold, which util.isDeepStrictEqual cannot see. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof Secret && b instanceof Secret) return a.reveal() === b.reveal();
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return a instanceof Secret === b instanceof Secret && [...keys].every((key) => isSame(left[key], right[key]));
}
