// What the configuration becomes: resolved, frozen, complete. Everything behind src/config reads these types and never
// the YAML, the environment or an optional default.
import type { CallKind } from '../core/limits.ts';
import type { Secret } from '../core/secret.ts';
import type { IsoDate, Weekday } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';

export type Auth = Readonly<{ kind: 'token'; token: Secret }> | Readonly<{ kind: 'signature'; apiKey: Secret; sharedSecret: Secret }>;

/** A base URL, a credential and its limits. */
export type Connection = Readonly<{
  name: string;
  /** Origin and optional path prefix, without a trailing slash. */
  baseUrl: string;
  auth: Auth;
  /** Sent with every call beside the credential, by name. They are no part of the budget's identity. */
  headers: Readonly<Record<string, Secret>>;
  /** Calls per minute. Connections that share a budget have the same, the lowest of what they were given. */
  callsPerMinute: Readonly<Record<CallKind, number>>;
  /**
   * Tells budgets apart in this process: the first 32 hexadecimal digits of SHA-256 over base URL and credential. Two
   * connections with the same base URL and credential share it, whatever their headers; a changed credential is a new budget.
   * Never written down, since guesses of a credential could be tested with it: the ledger names budgets by a salted digest of it.
   */
  budgetId: string;
}>;

/** Filter values by the service's field names, already checked against the dataset. */
export type FilterValues = Readonly<Record<string, number | string | boolean | readonly number[] | readonly string[]>>;

export type Schedule = Readonly<{ cron: string; timezone: string }>;

export type Job = Readonly<{
  name: string;
  /** False: configured, but not planned. */
  isEnabled: boolean;
  dataset: Dataset;
  /** Name of a connection in Settings.connections. */
  connection: string;
  accountId: number;
  filters: FilterValues;
  /** Changes exactly when the question changes: a digest of dataset, base URL, account and filters. */
  filtersDigest: string;
  schedule: Schedule;
  /** First day of the first expected week, already moved to the start of its week. */
  since: IsoDate;
  /** How many weeks before the newest one are read again at every tick of the schedule. */
  lookbackWeeks: number;
  /** How many weeks of data are kept; undefined: all. */
  keepWeeks: number | undefined;
  /** Most weeks that one query may span when several are missing; at most MAX_WEEKS_PER_QUERY. */
  weeksPerQuery: number;
  weekStartsOn: Weekday;
  /** Rows asked for per page. */
  pageSize: number;
  /** Quarantined rows with which a week is still published: the largest share, 0 to 1, and as many whatever their share. */
  maxRejectedShare: number;
  maxRejectedRows: number;
  /** Smallest share of the previously published rows that a new load must have, 0 to 1. */
  minKeepShare: number;
  /** Weeks without rows are right and not told of. */
  allowEmpty: boolean;
  /** How long a query may stay IN_PROGRESS before a new one is submitted, in milliseconds. */
  maxWaitMs: number;
  /** Most submits spent on one slice in 24 hours. */
  maxSubmits: number;
  /** Domains of the account itself, in lower case and without www.; those of all its jobs count together. */
  ownDomains: readonly string[];
  /** Sites of its competitors, in the same way. */
  competitors: readonly string[];
}>;

/** What is told of weeks: `week.published` was not there before, of `week.revised` rows have changed, to `week.held` the audit objects. */
export const WEEK_EVENT_KINDS = ['published', 'held', 'revised'] as const;
export type WeekEventKind = (typeof WEEK_EVENT_KINDS)[number];

/** From whom and to whom e-mail goes, and whether it may go without TLS. */
export type MailTarget = Readonly<{ from: string; to: readonly string[]; allowsPlain: boolean }>;

/** Where problems are told. Its address is a secret: all who know it can write there. */
export type NotifyTarget = Readonly<{
  name: string;
  kind: 'slack' | 'webhook' | 'email';
  /** Of e-mail the address of the server, with user and password. */
  url: Secret;
  /** Of e-mail alone. */
  mail?: MailTarget | undefined;
  /** Key of the signatures of a webhook. */
  secret: Secret | undefined;
  /** The lowest severity that is told. */
  severity: 'error' | 'warning';
  /** How long a problem must last before it is told, or be gone before its end is. */
  afterMs: number;
  /** Time between reminders while a problem lasts. */
  remindMs: number;
  /** Least time between two messages of one kind, so that many in a row are few messages. */
  gatherMs: number;
  hasDigest: boolean;
  /** Whether it is told of signals, and on which day it gets the brief. */
  hasSignals?: boolean;
  briefOn?: Weekday | undefined;
  /** What happens to weeks that is told, each by itself. */
  events: readonly WeekEventKind[];
}>;

export type Notify = Readonly<{
  /** Where people open the pages, without a trailing slash. */
  pages: string | undefined;
  targets: readonly NotifyTarget[];
}>;

/** Ages from which on the ledger forgets what is not needed for coverage, in milliseconds. */
export type Retention = Readonly<Record<`${'executions' | 'publications' | 'quarantine' | 'drift' | 'calls'}Ms`, number>>;

/** What is worth a signal: thresholds by the names that rules have for them. */
export type SignalSettings = Readonly<{ isEnabled: boolean; thresholds: Readonly<Record<string, number>> }>;

/** What is spelled in two ways and means one thing. */
export type Alias = Readonly<{ kind: 'engine' | 'locode' | 'language'; spelling: string; meaning: string }>;

/** What `jobs.config.yaml` resolves to. */
export type JobsConfig = Readonly<{
  /** Where it was read from, for messages. */
  path: string;
  connections: ReadonlyMap<string, Connection>;
  jobs: readonly Job[];
  /** How many entries of the file make the jobs. */
  entryCount: number;
  notify: Notify;
  retention: Retention;
  signals: SignalSettings;
  aliases: readonly Alias[];
}>;

/** What the environment resolves to. Database and queue addresses carry passwords, hence Secret. */
export type Environment = Readonly<{
  databaseUrl: Secret | undefined;
  redisUrl: Secret | undefined;
  configPath: string;
  /** Longest time from the death of a process until its work goes on elsewhere, in milliseconds. */
  takeOverMs: number;
  logLevel: string;
  opsHost: string;
  opsPort: number;
  /** Addresses, networks or names of networks. */
  opsTrustedProxies: readonly string[];
  /** Of the dashboards. */
  opsPassword: Secret | undefined;
  /** Collector of traces. */
  traceEndpoint: Secret | undefined;
  /** Proxies for requests to addresses of http and of https; they may carry passwords. */
  httpProxy: Secret | undefined;
  httpsProxy: Secret | undefined;
  /** What is asked without them, as written. */
  noProxy: string | undefined;
}>;
