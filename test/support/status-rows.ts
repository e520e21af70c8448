// What `status` reads, as it is when nothing is wrong.

import type { CoveredWeek, KnownConnection, KnownJob, LiveExecution } from '../../src/ledger/coverage.ts';
import type { KnownInstance } from '../../src/ledger/instances.ts';
import type { Status } from '../../src/problems/status.ts';

export const NOW = new Date('2026-11-18T12:00:00Z');
export const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);
export const inMinutes = (minutes: number): Date => minutesAgo(-minutes);

export const job = (name: string, own: Partial<KnownJob> = {}): KnownJob => ({
  name,
  dataset: 'keyword_rankings',
  connection: 'main',
  accountId: 1,
  cron: '0 6 * * 1',
  timezone: 'UTC',
  since: '2026-11-01',
  expectedThrough: '2026-11-08',
  lookbackWeeks: 1,
  filtersDigest: 'd',
  plannedAt: minutesAgo(1),
  removedAt: null,
  isEnabled: true,
  pausedSince: null,
  pauseReason: null,
  ...own,
});

export const week = (name: string, start: string, own: Partial<CoveredWeek> = {}): CoveredWeek => ({
  job: name,
  week: start,
  state: 'published',
  isExpected: true,
  publishedAt: minutesAgo(180),
  sliceRows: 4_711,
  weekRows: 4_711,
  sliceId: 17,
  executionId: 42,
  executionState: 'published',
  stateSince: minutesAgo(180),
  dueAt: null,
  rowsReceived: 4_711,
  totalRowCount: '4711',
  publishedFiltersDigest: 'd',
  detail: null,
  pausedSince: null,
  ...own,
});

export const unpublished = { publishedAt: null, sliceRows: null, weekRows: null, publishedFiltersDigest: null };

export const execution = (name: string, own: Partial<LiveExecution> = {}): LiveExecution => ({
  id: 42,
  sliceId: 17,
  job: name,
  dataset: 'keyword_rankings',
  connection: 'main',
  windowStart: '2026-11-08',
  windowEnd: '2026-11-14',
  state: 'loading',
  stateSince: minutesAgo(1),
  reason: 'newest',
  dueAt: minutesAgo(0),
  leaseOwner: 'host-1',
  isLeased: true,
  pages: 3,
  rowsReceived: 3_000,
  totalRowCount: '8273',
  errorsInRow: 0,
  lastError: null,
  lastErrorCode: null,
  lastErrorAt: null,
  retryingSince: null,
  leaseTakings: 0,
  deathsInRow: 0,
  progressAt: minutesAgo(0),
  freeSince: null,
  waitingFor: null,
  objections: null,
  expiresAt: null,
  calls: 5,
  durationMs: 60_000,
  timings: { waitMs: 1, networkMs: 2, decodeMs: 3, copyMs: 4, publishMs: 5 },
  isPaused: false,
  gaveUpAt: null,
  gaveUpBecause: null,
  ...own,
});

export const connection = (own: Partial<KnownConnection> = {}): KnownConnection => ({
  name: 'main',
  baseUrl: 'https://api.example',
  authKind: 'token',
  submitsPerMinute: 5,
  readsPerMinute: 1000,
  pausedUntil: null,
  rateLimitedAt: null,
  unauthorizedSince: null,
  probeAt: null,
  elsewhereSince: null,
  elsewhereAt: null,
  elsewhereTimes: null,
  elsewhereKind: null,
  elsewhereUsed: null,
  elsewhereOf: null,
  submitsLastMinute: 0,
  readsLastMinute: 0,
  lastSubmitAt: null,
  pausedSince: null,
  pauseReason: null,
  ...own,
});

export const instance = (own: Partial<KnownInstance> = {}): KnownInstance => ({
  id: 'host-1',
  role: 'all',
  host: 'host',
  pid: 1,
  version: '0.1.0',
  startedAt: minutesAgo(600),
  seenAt: minutesAgo(0),
  isAlive: true,
  queueError: null,
  queueErrorSince: null,
  clockAheadS: 0,
  failingRounds: null,
  ...own,
});

/** All that a status reads but the coverage: of one job, of which nothing is under way. */
export const quiet: Omit<Status, 'coverage'> = {
  jobs: [job('acme')],
  live: [],
  connections: [connection()],
  instances: [instance()],
  drift: [],
  quarantine: [],
  emptyWeeks: [],
  unknownSubmits: [],
  unlikeWeeks: [],
  leftRows: [],
  failingReports: [],
  unmetSpellings: [],
  failingTargets: [],
  acknowledgements: [],
};
