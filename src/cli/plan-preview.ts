// What would be planned now, by the code that plans, without writing: for plan, --dry-run, check and confirmations.
import type { Job, JobsConfig } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { groupBy } from '../core/group-by.ts';
import { count, sumOf } from '../core/numbers.ts';
import { formatWindow, type IsoDate } from '../core/weeks.ts';
import { submitMinutes } from '../ledger/call-log.ts';
import { readLiveExecutions } from '../ledger/coverage.ts';
import type { LoadReason } from '../ledger/executions.ts';
import { readPlanning, readSlices } from '../ledger/jobs.ts';
import { findSource, type Renames, readRenames } from '../ledger/renames.ts';
import type { LiveState } from '../ledger/states.ts';
import { expectBySchedule } from '../pipeline/expected-weeks.ts';
import { choosePlan, findStaleWeeks, type LoadPreview, previewLoads, refuseAhead } from '../pipeline/plan.ts';
import { readSessionFacts } from '../postgres/database-facts.ts';
import type { Pool } from '../postgres/pool.ts';
import type { Choose } from './foreground.ts';
import { type IdleJob, sortOutIdle } from './loadable-jobs.ts';
import { type Cell, formatTable } from './table.ts';

/** What one job would load, and its running loads by state. */
export type JobPlan = Readonly<{ job: Job; loads: readonly LoadPreview[]; underWay: Readonly<Partial<Record<LiveState, number>>> }>;

/** Submits of one budget: connections that share a credential share it. */
export type BudgetPlan = Readonly<{ connections: readonly string[]; submitsPerMinute: number; submits: number; minutes: number }>;

export type PlanPreview = Readonly<{
  jobs: readonly JobPlan[];
  idle: readonly IdleJob[];
  budgets: readonly BudgetPlan[];
  totals: PlanTotals;
  stale: readonly StaleWeeks[];
}>;

/** Published weeks of a job that answer filters other than its current ones, by their first days. */
export type StaleWeeks = Readonly<{ job: string; weeks: number; first: IsoDate; last: IsoDate }>;
export type PlanTotals = Readonly<{ submits: number; weeks: number; replacedWeeks: number; replacedRows: number; underWay: number }>;

const REASONS: readonly LoadReason[] = ['newest', 'lookback', 'catch_up', 'backfill'];

/** What a start would plan now. */
export const chooseBySchedule: Choose = (job) => {
  const expectation = expectBySchedule(job, systemClock.now());
  return {
    expectedThrough: expectation?.weeks.at(-1),
    choose: (slices) => (expectation ? choosePlan(job, expectation, slices) : []),
  };
};

/**
 * What `choose` would plan of `jobs`; nothing for paused or disabled ones. Spends no call, writes nothing.
 * Throws ConfigurationError for a job that cannot be planned as it is configured, StoreError.
 */
export async function previewPlan(pool: Pool, config: JobsConfig, jobs: readonly Job[], choose: Choose): Promise<PlanPreview> {
  const { loadable, idle } = await sortOutIdle(pool, jobs);
  const live = await readLiveExecutions(pool);
  const renames = await readRenames(pool, config.jobs);
  refuseAhead(systemClock.now(), (await readSessionFacts(pool)).now);
  const plans: JobPlan[] = [];
  for (const job of loadable) {
    const { slicesOf, slices } = await readPlanning(pool, job, renames);
    const underWay: Partial<Record<LiveState, number>> = {};
    for (const { state } of live.filter((execution) => execution.job === slicesOf)) underWay[state] = (underWay[state] ?? 0) + 1;
    plans.push({ job, loads: previewLoads(job, choose(job).choose(slices), slices), underWay });
  }
  const stale = await readStale(pool, config, jobs, renames);
  return { jobs: plans, idle, budgets: sumBudgets(config, plans), totals: sumPlans(plans), stale };
}

/** Of `jobs`, and of others that load the same dataset and account: a value that moves between filters affects both. */
async function readStale(pool: Pool, { jobs: all }: JobsConfig, jobs: readonly Job[], renames: Renames): Promise<StaleWeeks[]> {
  const placeOf = ({ dataset, accountId }: Job): string => `${dataset.name} ${accountId}`;
  const places = new Set(jobs.map(placeOf));
  const stale: StaleWeeks[] = [];
  for (const job of all.filter((each) => places.has(placeOf(each)))) {
    const slicesOf = findSource(renames, job.name);
    const weeks = slicesOf === undefined ? [] : findStaleWeeks(job, await readSlices(pool, slicesOf));
    const [first, last] = [weeks[0], weeks.at(-1)];
    if (first !== undefined && last !== undefined) stale.push({ job: job.name, weeks: weeks.length, first, last });
  }
  return stale;
}

/** One sentence for each job with such weeks, with the command that loads them again. */
export function describeStale(stale: readonly StaleWeeks[]): string[] {
  return stale.map(({ job, weeks, first, last }) => {
    const span = first === last ? first : `${first} to ${last}`;
    const command = `"searchmill backfill ${job} --from ${first} --to ${last} --stale"`;
    return `${job}: ${count(weeks, 'published week')} ${weeks === 1 ? 'answers' : 'answer'} other filters than now, ${span}; ${command} loads them again.`;
  });
}

function sumBudgets({ connections }: JobsConfig, plans: readonly JobPlan[]): BudgetPlan[] {
  const asking = plans.flatMap(({ job, loads }) => {
    const connection = connections.get(job.connection);
    return connection && loads.length > 0 ? [{ connection, submits: loads.length }] : [];
  });
  return [...groupBy(asking, ({ connection }) => connection.budgetId).values()].flatMap((own) => {
    if (!own[0]) return [];
    const submitsPerMinute = own[0].connection.callsPerMinute.submit;
    const submits = sumOf(own, (one) => one.submits);
    const names = [...new Set(own.map(({ connection }) => connection.name))];
    return [{ connections: names, submitsPerMinute, submits, minutes: submitMinutes(submits, submitsPerMinute) }];
  });
}

function sumPlans(plans: readonly JobPlan[]): PlanTotals {
  const underWay = plans.flatMap((plan) => Object.values(plan.underWay));
  return { ...sumLoads(plans.flatMap(({ loads }) => loads)), underWay: sumOf(underWay, (amount) => amount) };
}

function sumLoads(loads: readonly LoadPreview[]): Omit<PlanTotals, 'underWay'> {
  return {
    submits: loads.length,
    weeks: sumOf(loads, ({ weeks }) => weeks),
    replacedWeeks: sumOf(loads, ({ replacedWeeks }) => replacedWeeks),
    replacedRows: sumOf(loads, ({ replacedRows }) => replacedRows),
  };
}

/** `about 9 minutes of submits for connection main`, for each budget. */
export function describeMinutes(budgets: readonly BudgetPlan[]): string {
  return budgets
    .map(({ connections, minutes }) => `about ${count(minutes, 'minute')} of submits for connection ${connections.join(', ')}`)
    .join('; ');
}

/** The plan as text. */
export function describePlan({ jobs, idle, budgets, totals, stale }: PlanPreview): string {
  const rows = jobs.flatMap(({ job, loads }) =>
    REASONS.flatMap((reason): Cell[][] => {
      const own = loads.filter((load) => load.reason === reason);
      const [newest, oldest] = [own[0], own.at(-1)];
      if (!newest || !oldest) return [];
      const { submits, weeks, replacedWeeks, replacedRows } = sumLoads(own);
      const span = formatWindow({ start: oldest.window.start, end: newest.window.end });
      return [[job.name, reason.replace('_', '-'), span, submits, weeks, describeReplaced(replacedWeeks, replacedRows)]];
    }),
  );
  const total: Cell[] = ['total', '', '', totals.submits, totals.weeks, describeReplaced(totals.replacedWeeks, totals.replacedRows)];
  const header = ['job', 'reason', 'windows within', 'submits', 'weeks', 'replaces'];
  const underWay = jobs.flatMap(({ job, underWay: states }) => {
    const parts = Object.entries(states).map(([state, amount]) => `${amount} ${state.replace('_', ' ')}`);
    return parts.length === 0 ? [] : [`${job.name}: ${parts.join(', ')}`];
  });
  return [
    rows.length === 0 ? 'Nothing would be planned.' : formatTable(header, rows.length === 1 ? rows : [...rows, total]),
    ...(rows.length === 0 ? [] : [`${describeMinutes(budgets)}. The number of polls and pages is not known in advance.`]),
    ...(underWay.length === 0 ? [] : [`Already running: ${underWay.join('; ')}.`]),
    ...idle.map(({ job, because, advice }) => `Left out: ${job} ${because}; ${advice}.`),
    ...describeStale(stale),
  ].join('\n');
}

/** What is already published in these windows. */
function describeReplaced(weeks: number, rows: number): Cell {
  return weeks === 0 ? null : `${count(weeks, 'week')}, ${count(rows, 'row')}`;
}

/** The plan as JSON. */
export function planAsJson({ jobs, idle, budgets, totals, stale }: PlanPreview): object {
  return {
    jobs: jobs.map(({ job, loads, underWay }) => ({
      job: job.name,
      connection: job.connection,
      loads: loads.map(({ window, ...load }) => ({ from: window.start, to: window.end, ...load })),
      underWay,
    })),
    leftOut: idle,
    connections: budgets,
    totals,
    stale,
  };
}
