// Gauges read from the ledger on demand, so that every process shows the same.

import { Gauge, type Registry } from 'prom-client';
import { systemClock } from '../core/clock.ts';
import { groupBy } from '../core/group-by.ts';
import { type CoverageState, countOutcomes, type KnownJob, type LoadOutcomes, readStanding } from '../ledger/coverage.ts';
import type { Pool } from '../postgres/pool.ts';
import { findProblems } from '../problems/find-problems.ts';
import { findNotices, pausedSince } from '../problems/notices.ts';
import { readStatus } from '../problems/read-status.ts';
import type { Status } from '../problems/status.ts';
import { countWeeks } from '../problems/week-groups.ts';

const COVERAGE_STATES: readonly CoverageState[] = ['published', 'running', 'held', 'failed', 'missing'];
const OUTCOMES: readonly LoadOutcomes['outcome'][] = ['published', 'held', 'failed', 'abandoned', 'discarded', 'cancelled'];

/** Adds the gauges to `registry`. Returns a function that updates them all, which throws StoreError. */
export function addLedgerGauges(registry: Registry): (pool: Pool) => Promise<void> {
  const gauges: Gauge[] = [];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> => {
    const made = new Gauge({ name, help, labelNames, registers: [registry] });
    gauges.push(made as unknown as Gauge);
    return made;
  };
  const coverage = gauge('searchmill_coverage_weeks', 'Expected weeks by state.', ['job', 'state']);
  const freshness = gauge(
    'searchmill_newest_published_week_timestamp_seconds',
    'First day of the newest published week. Only of jobs that are planned: neither removed, disabled nor paused.',
    ['job'],
  );
  const publishedAt = gauge(
    'searchmill_last_published_timestamp_seconds',
    'When the job last published. Only of jobs that are planned: neither removed, disabled nor paused.',
    ['job'],
  );
  const jobPaused = gauge('searchmill_job_paused', '1 while the job or its connection is paused by hand.', ['job']);
  const retrying = gauge('searchmill_load_retrying_seconds', 'Longest time for which a load of the job has been failing; 0 if none is.', [
    'job',
  ]);
  const overdue = gauge(
    'searchmill_load_overdue_seconds',
    'Longest time for which a load of the job has been due while no process works on it, or submits for its connection.',
    ['job'],
  );
  const takings = gauge('searchmill_lease_takings', 'How often a running load was taken over because its process died or hung.', ['job']);
  const unknown = gauge('searchmill_unknown_submits_last_day', 'Submits of the last 24 hours whose outcome is not known.', ['job']);
  const unauthorized = gauge('searchmill_connection_unauthorized', '1 while the service refuses the credential.', ['connection']);
  const paused = gauge('searchmill_connection_paused', '1 while the connection pauses after a 429.', ['connection']);
  const outcomes = gauge(
    'searchmill_loads_last_day',
    'Loads that ended in the last 24 hours, by outcome; held ones also while they wait.',
    ['job', 'dataset', 'outcome'],
  );
  const drift = gauge('searchmill_schema_differences', 'Schema differences of published weeks and running loads.', ['job', 'kind']);
  const quarantine = gauge('searchmill_rows_in_quarantine', 'Rows that did not decode, of published, held and running loads.', ['job']);
  const problems = gauge(
    'searchmill_problems',
    'Problems as "searchmill status" shows them: an error needs a person, a warning passes by itself, a note is worth knowing.',
    ['kind', 'job', 'severity'],
  );
  const lastMinute = gauge('searchmill_calls_last_minute', 'Calls granted in the last 60 seconds, over all processes.', [
    'connection',
    'kind',
  ]);

  return async (pool) => {
    const status = await readStatus(pool);
    const standing = await readStanding(pool);
    const unknownSubmits = new Map(status.unknownSubmits.map(({ job, submits }) => [job, submits]));
    const now = systemClock.now();
    const ended = await countOutcomes(pool);
    for (const one of gauges) one.reset();
    for (const { name: job, dataset } of status.jobs) {
      for (const outcome of OUTCOMES) outcomes.set({ job, dataset, outcome }, 0);
      quarantine.set({ job }, 0);
    }
    for (const { loads, ...labels } of ended) outcomes.set(labels, loads);
    for (const { jobs, kind } of status.drift) for (const job of jobs) drift.inc({ job, kind });
    for (const { job, rows } of status.quarantine) quarantine.inc({ job }, rows);
    for (const { kind, job, severity } of [...findProblems(status, now), ...findNotices(status, now)])
      problems.inc({ kind, job: job ?? '', severity });
    const planned = new Set(status.jobs.filter((job) => isPlanned(job, status)).map(({ name }) => name));
    for (const [job, own] of groupBy(status.coverage, (group) => group.job)) {
      for (const state of COVERAGE_STATES) {
        const expected = own.filter((group) => group.isExpected && group.state === state);
        coverage.set({ job, state }, countWeeks(expected));
      }
      if (!planned.has(job)) continue;
      const published = own.filter((group) => group.isPublished);
      const newest = Math.max(0, ...published.map((group) => Date.parse(group.last)));
      const latest = Math.max(0, ...published.map((group) => group.publishedAt?.getTime() ?? 0));
      if (newest > 0) freshness.set({ job }, newest / 1000);
      if (latest > 0) publishedAt.set({ job }, latest / 1000);
    }
    for (const { job, isPaused, retryingSeconds, overdueSeconds, leaseTakings } of standing) {
      jobPaused.set({ job }, isPaused ? 1 : 0);
      retrying.set({ job }, retryingSeconds);
      overdue.set({ job }, overdueSeconds);
      takings.set({ job }, leaseTakings);
      unknown.set({ job }, unknownSubmits.get(job) ?? 0);
    }
    for (const connection of status.connections) {
      unauthorized.set({ connection: connection.name }, connection.unauthorizedSince ? 1 : 0);
      paused.set({ connection: connection.name }, connection.pausedUntil && connection.pausedUntil > new Date() ? 1 : 0);
      lastMinute.set({ connection: connection.name, kind: 'submit' }, connection.submitsLastMinute);
      lastMinute.set({ connection: connection.name, kind: 'read' }, connection.readsLastMinute);
    }
  };
}

/** Whether a new week of the job is to come: else how old its newest one is would alert for ever. */
function isPlanned(job: KnownJob, { connections }: Status): boolean {
  return job.removedAt === null && job.isEnabled && pausedSince(job, connections) === undefined;
}
