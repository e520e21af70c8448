// What the configuration becomes: resolved, frozen, complete. All other folders read these types and never
// the YAML, the environment or an optional default.
import type { CallKind } from '../core/limits.ts';
import type { Secret } from '../core/secret.ts';
import type { IsoDate, Weekday } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Notify } from './notify.ts';

export type Auth = Readonly<{ kind: 'token'; token: Secret }> | Readonly<{ kind: 'signature'; apiKey: Secret; sharedSecret: Secret }>;

/** A base URL, a credential and its limits. */
export type Connection = Readonly<{
  name: string;
  /** Origin and optional path prefix, without a trailing slash. */
  baseUrl: string;
  auth: Auth;
  /** Sent with every call beside the credential, by name. They are not part of the budget's identity. */
  headers: Readonly<Record<string, Secret>>;
  /** Calls per minute. Connections that share a budget have the same, the lowest of what they were given. */
  callsPerMinute: Readonly<Record<CallKind, number>>;
  /**
   * Identifies a budget in this process: the first 32 hexadecimal digits of SHA-256 over base URL and credential. Two
   * connections with the same base URL and credential share it, whatever their headers; a changed credential is a new budget.
   * Never stored, since guesses of a credential could be tested against it: the ledger names budgets by a salted digest of it.
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
  /** Quarantined rows with which a week is still published: the largest share, 0 to 1, and a number allowed whatever their share. */
  maxRejectedShare: number;
  maxRejectedRows: number;
  /** Smallest share of the previously published rows that a new load must have, 0 to 1. */
  minKeepShare: number;
  /** Weeks without rows are expected and not reported. */
  allowEmpty: boolean;
  /** How long a query may stay IN_PROGRESS before a new one is submitted, in milliseconds. */
  maxWaitMs: number;
  /** Most submits spent on one slice in 24 hours. */
  maxSubmits: number;
  /** Domains of the account itself, in lower case and without www.; those of all its jobs count together. */
  ownDomains: readonly string[];
  /** Sites of its competitors, in the same way. */
  competitors: readonly string[];
  /** Names of our brands and of those of rivals, which are looked for in the texts of answers; in the same way. */
  ownBrands: readonly Brand[];
  rivalBrands: readonly Brand[];
}>;

/** A name, and how else it is spelled. */
export type Brand = Readonly<{ name: string; spellings: readonly string[] }>;

/** How the pages are served. */
export type Pages = Readonly<{
  /** Path below which browsers see them, such as `/searchmill`, without a trailing slash; empty for none. */
  basePath: string;
}>;

/** Ages at which the ledger forgets records that coverage does not need, in milliseconds. */
export type Retention = Readonly<Record<`${'executions' | 'publications' | 'quarantine' | 'drift' | 'calls'}Ms`, number>>;

/** Thresholds of signals, by their names in the rules. */
export type SignalSettings = Readonly<{ isEnabled: boolean; thresholds: Readonly<Record<string, number>> }>;

/** Two spellings of one thing. */
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
  pages: Pages;
  retention: Retention;
  signals: SignalSettings;
  aliases: readonly Alias[];
}>;

/** What the environment resolves to. Database and queue addresses carry passwords, hence Secret. */
export type Environment = Readonly<{
  databaseUrl: Secret | undefined;
  redisUrl: Secret | undefined;
  configPath: string;
  /** Longest time from the death of a process until another takes over its work, in milliseconds. */
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
  /** Proxies for requests to addresses of http and of https; they may contain passwords. */
  httpProxy: Secret | undefined;
  httpsProxy: Secret | undefined;
  /** What is reached without a proxy, as written. */
  noProxy: string | undefined;
}>;
