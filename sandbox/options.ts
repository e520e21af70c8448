// The options of the sandbox, and their defaults.
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { ConfigurationError } from '../src/core/errors.ts';
import { CALL_KINDS, type CallKind, HARD_LIMITS } from '../src/core/limits.ts';
import { type IsoDate, isIsoDate, type Weekday } from '../src/core/weeks.ts';
import type { FaultPlanInput } from './faults/plan.ts';
import { RECORD_FORMS, type RecordForm } from './protocol/answers.ts';
import { type CredentialOptions, checkGatewayHeader, type GatewayHeader } from './protocol/credentials.ts';
import { PERIOD_RULES, type PeriodRule } from './queries/period-rules.ts';
import { type AccountOptions, checkAccounts, DEFAULT_ACCOUNTS } from './world/accounts.ts';
import { resolveSizes, type SizePreset, type Sizes } from './world/sizes.ts';
import { STORIES, type StoryName } from './world/stories.ts';

export type SandboxOptions = Readonly<{
  /** Address to listen on. Any address but loopback makes the sandbox reachable from other machines. */
  host?: string;
  /** Port to listen on; 0 chooses a free one. */
  port?: number;
  /** A whole number. Another seed makes another company: other keywords, ranks and answers. */
  seed?: number;
  size?: SizePreset;
  /** Sizes that differ from those of `size`. */
  sizes?: Partial<Sizes>;
  /** What happens in the invented world, in `storyWeek`; the incident comes in weeks of its own. */
  story?: StoryName;
  /** First day of the week in which the story happens, if it is not the newest week that is over. */
  storyWeek?: IsoDate;
  /** Accounts that every credential may ask about. */
  accounts?: readonly AccountOptions[];
  /** Accepted tokens, and keys with their secrets. Each has its own limits and sees only its own executions. */
  credentials?: readonly CredentialOptions[];
  /** A header that every call must carry in addition to its credential, with this value; else 401. */
  gatewayHeader?: GatewayHeader;
  /** Duration of a query in milliseconds; the actual one is between half and one and a half times this, depending on the question. */
  queryMs?: number;
  /** Duration of a page request in milliseconds. */
  pageMs?: number;
  /** Calls per 60 seconds and credential, by kind. */
  limits?: Partial<Readonly<Record<CallKind, number>>>;
  /** Share of citations and sentiments that appear twice, 0 to 1. */
  duplicates?: number;
  /** First day with data. */
  historyStart?: IsoDate;
  /** First day of the reported weeks. */
  weekStartsOn?: Weekday;
  /** Accepted periods: those documented publicly (whole weeks, at most 92 days), or any. */
  periods?: PeriodRule;
  /** Whether records leave out fields without a value, as publicly documented, or include them, as in the specification. */
  records?: RecordForm;
  /** Whether answers are compressed for clients that accept it. */
  compression?: boolean;
  /** Maximum executions remembered; the oldest are forgotten first, as if they had expired. */
  maxExecutions?: number;
  /** Provides the time for limits, validity, signatures, the newest week and the progress of queries. */
  clock?: Clock;
  /** Faults for clients; none by default. docs/sandbox.md, "Faults", is the reference. */
  faults?: FaultPlanInput;
  /** Whether /control lets callers on this machine set faults, restate rows, expire ids and revoke credentials. */
  isControllable?: boolean;
  /** Gets one line per request. Without it nothing is logged. */
  logger?: FastifyBaseLogger;
}>;

/** Defaults of all options but `faults`, `gatewayHeader`, `logger` and `sizes`. */
export const sandboxDefaults = {
  host: '127.0.0.1',
  port: 0,
  seed: 1,
  size: 'small',
  story: 'incident',
  accounts: DEFAULT_ACCOUNTS,
  credentials: [{ token: 'sandbox-token' }, { apiKey: 'sandbox-key', sharedSecret: 'sandbox-secret' }],
  queryMs: 400,
  pageMs: 0,
  limits: HARD_LIMITS,
  duplicates: 0.005,
  historyStart: '2023-01-01',
  weekStartsOn: 'sunday',
  periods: 'weeks',
  records: 'documented',
  compression: true,
  maxExecutions: 10_000,
  isControllable: false,
  clock: systemClock,
} as const satisfies SandboxOptions;

export type SandboxSettings = Readonly<
  Required<Omit<SandboxOptions, 'size' | 'sizes' | 'limits' | 'storyWeek' | 'faults' | 'gatewayHeader' | 'logger'>> & {
    sizes: Sizes;
    limits: Readonly<Record<CallKind, number>>;
    storyWeek: IsoDate | undefined;
    faults: FaultPlanInput | undefined;
    gatewayHeader: GatewayHeader | undefined;
    logger: FastifyBaseLogger | undefined;
  }
>;

/** Throws ConfigurationError for an invalid option. */
export function resolveOptions(options: SandboxOptions): SandboxSettings {
  const { size, sizes, limits, ...rest } = { ...sandboxDefaults, sizes: {}, ...withoutUndefined(options) };
  const settings: SandboxSettings = {
    storyWeek: undefined,
    faults: undefined,
    gatewayHeader: undefined,
    logger: undefined,
    ...rest,
    sizes: resolveSizes(size, sizes),
    limits: { ...sandboxDefaults.limits, ...limits },
  };
  checkAccounts(settings.accounts);
  checkOneOf('periods', settings.periods, PERIOD_RULES);
  checkOneOf('records', settings.records, RECORD_FORMS);
  checkOneOf('story', settings.story, STORIES);
  if (settings.gatewayHeader) checkGatewayHeader(settings.gatewayHeader);
  if (settings.credentials.length === 0) throw new ConfigurationError('the sandbox needs at least one credential');
  for (const kind of CALL_KINDS) checkRange(`limit of ${kind} calls`, settings.limits[kind], { min: 1, max: 1_000_000, isWhole: true });
  checkRange('seed', settings.seed, { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, isWhole: true });
  checkRange('queryMs', settings.queryMs, { min: 0, max: 3_600_000 });
  checkRange('pageMs', settings.pageMs, { min: 0, max: 3_600_000 });
  checkRange('duplicates', settings.duplicates, { min: 0, max: 1 });
  checkRange('maxExecutions', settings.maxExecutions, { min: 1, max: 1_000_000, isWhole: true });
  if (!isIsoDate(settings.historyStart)) throw new ConfigurationError(`historyStart ${settings.historyStart} of the sandbox is not a date`);
  return settings;
}

type Range = Readonly<{ min: number; max: number; isWhole?: boolean }>;

function checkRange(what: string, value: number, { min, max, isWhole = false }: Range): void {
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return;
  throw new ConfigurationError(`${what} of the sandbox is ${value}; it must be ${isWhole ? 'a whole number ' : ''}from ${min} to ${max}`);
}

function checkOneOf(what: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) throw new ConfigurationError(`${what} of the sandbox is ${value}; it must be one of ${known.join(', ')}`);
}

function withoutUndefined(options: SandboxOptions): SandboxOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
