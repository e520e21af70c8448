// Examines the rows that a publication would delete, inside its transaction: a row count does not show which rows they are. An answer is
// held when a value of a column that reflects what was asked loses all its rows, when too many keys published under other filters are
// missing, when it would delete rows that another job asks for now, or when two jobs take the same rows from each other. Source:
// docs/decisions/0019-what-vanishes.md.

import { USUAL_MIN_KEEP } from '../config/schema.ts';
import { StoreError } from '../core/errors.ts';
import { groupBy } from '../core/group-by.ts';
import { nameSome } from '../core/name-some.ts';
import { count, sumOf } from '../core/numbers.ts';
import { type IsoDate, weeksOfWindow, windowOf } from '../core/weeks.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { asksForAll, createRowTest, leavesOut, tellingColumns } from '../datasets/selected-rows.ts';
import { DEFAULT_COLLECTION_FREQUENCY } from '../datasets/submit-body.ts';
import type { Execution } from '../ledger/executions.ts';
import type { Client } from '../postgres/pool.ts';
import {
  countLostKeys,
  findTakenBack,
  findVanishedValues,
  groupLostRows,
  readNeighbours,
  readQuestions,
  type VanishedValue,
} from '../publishing/lost-rows.ts';
import type { Objection } from './audit.ts';
import { compareFilters, describeFilters, MAX_NAMED, nameFilters, quoteValue } from './shrinkage.ts';

/** Thrown inside the publishing transaction to roll it back. */
export class RefusedLossError extends StoreError {
  readonly objections: readonly Objection[];

  constructor(objections: readonly Objection[]) {
    super('the audit objects to what would be deleted', { retryable: false });
    this.objections = objections;
  }
}

/** Throws RefusedLossError when a person must approve the deletion of rows first. Throws StoreError. */
export async function examineLosses(client: Client, dataset: Dataset, execution: Execution): Promise<void> {
  const { minKeepShare, mayShrink, windowStart, windowEnd } = execution;
  const weeks = weeksOfWindow(windowOf({ windowStart, windowEnd }));
  const objections: Objection[] = [];
  const isShrinkAllowed = mayShrink || minKeepShare === 0;
  if (!isShrinkAllowed) {
    const found = await findVanishedValues(client, dataset, execution);
    // With a min_keep below the default, a job accepts fewer rows: a value that its own filters exclude is then no loss.
    const mayNarrow = minKeepShare < USUAL_MIN_KEEP;
    const vanished = found.filter(({ column, value }) => !(mayNarrow && leavesOut(dataset, execution.request, column, value)));
    if (vanished.length > 0) objections.push({ rule: 'values', message: describeVanished(dataset, vanished, weeks) });
  }
  const narrowed = await findNarrowed(client, dataset, execution);
  if (narrowed.length > 0 && !isShrinkAllowed) {
    const keys = await countLostKeys(client, dataset, execution);
    const [most] = keys
      .filter(({ week, keys: all, lost }) => narrowed.some((each) => each.week === week) && lost > all * (1 - minKeepShare))
      .toSorted((a, b) => b.lost / b.keys - a.lost / a.keys);
    const of = most && narrowed.find(({ week }) => week === most.week);
    if (most && of) {
      const changed = compareFilters(dataset, of.request, execution.request);
      const why = changed ? `the filters have changed: ${describeFilters(changed)}` : 'they were requested from another address';
      const message = `${most.lost} of ${count(most.keys, 'row')} of the week of ${weeks[most.week]} are missing in the answer, whatever is new in it; min_keep is ${minKeepShare}, and ${why}`;
      objections.push({ rule: 'keys', message, ...(changed && { filters: changed }) });
    }
  }
  objections.push(...(await findClaims(client, dataset, execution)), ...(await findRivals(client, dataset, execution)));
  if (objections.length > 0) throw new RefusedLossError(objections);
}

type Question = Readonly<{ week: number; filtersDigest: string; request: Record<string, unknown> }>;

/** Weeks published for a question that asked for rows the execution does not ask for, or from another address. */
async function findNarrowed(client: Client, dataset: Dataset, execution: Execution): Promise<Question[]> {
  const questions = await readQuestions(client, execution);
  return questions.filter(({ filtersDigest, request }) => {
    if (filtersDigest === execution.filtersDigest) return false;
    const isOtherAddress = compareFilters(dataset, request, execution.request) === undefined;
    return isOtherAddress || !asksForAll(dataset, request, execution.request);
  });
}

/** Objects to deleting rows that this job does not ask for, but another job asks for now and has not loaded. */
async function findClaims(client: Client, dataset: Dataset, execution: Execution): Promise<Objection[]> {
  const neighbours = await readNeighbours(client, dataset, execution);
  if (neighbours.length === 0) return [];
  const columns = tellingColumns(dataset);
  const isOwn = createRowTest(dataset, execution.request);
  const lost = (await groupLostRows(client, dataset, execution, columns))
    .map(({ values, ...group }) => ({ ...group, row: new Map(columns.map((column, index) => [column, values[index] ?? null])) }))
    .filter(({ row }) => !isOwn(row));
  return neighbours.flatMap(({ name, filters, weeks: loaded }): Objection[] => {
    const isAskedFor = createRowTest(dataset, filters);
    const claimed = lost.filter(({ week, row }) => !loaded.includes(week) && isAskedFor(row));
    if (claimed.length === 0) return [];
    const rows = sumOf(claimed, (each) => each.rows);
    const { windowStart, windowEnd } = execution;
    const load = `"searchmill run ${name} --from ${windowStart} --to ${windowEnd} --reload"`;
    const message = `${count(rows, 'row')} that would be deleted ${rows === 1 ? 'is' : 'are'} what job ${name} asks for now and has not loaded; load them first: ${load}, then approve`;
    return [{ rule: 'others', message }];
  });
}

/** Objects to taking rows from a job that has taken them back from this one: their filters make no difference to the service. */
async function findRivals(client: Client, dataset: Dataset, execution: Execution): Promise<Objection[]> {
  const names = dataset.filters.map(({ name }) => name);
  const filtersOf = (question: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
    collection_frequency: DEFAULT_COLLECTION_FREQUENCY,
    ...Object.fromEntries(names.flatMap((name) => (question[name] === undefined ? [] : [[name, question[name]]]))),
  });
  return (await findTakenBack(client, execution)).map(({ name, filters, rows }) => {
    const { before = {}, now = {} } = compareFilters(dataset, filtersOf(filters), filtersOf(execution.request)) ?? {};
    const fields = [...new Set([...Object.keys(now), ...Object.keys(before)])];
    const asked = `${execution.job}: ${nameFilters(now) || 'not set'}; ${name}: ${nameFilters(before) || 'not set'}`;
    const difference = `${nameSome(fields, MAX_NAMED)} ${fields.length === 1 ? 'makes' : 'make'} no difference (${asked})`;
    const why = fields.length === 0 ? 'both ask the same' : difference;
    const message = `the service gives jobs ${execution.job} and ${name} the same ${count(rows, 'row')}, which each has taken from the other before: ${why}; keep one: remove ${execution.job} from the file and reload it, which ends this load, or remove ${name}, reload, then approve`;
    return { rule: 'others', message };
  });
}

function describeVanished(dataset: Dataset, vanished: readonly VanishedValue[], weeks: readonly IsoDate[]): string {
  const columns = [...groupBy(vanished, ({ column }) => column)].map(([column, own]) => {
    const what = dataset.columns.find(({ name }) => name === column)?.breakdown ?? column;
    const values = [...groupBy(own, ({ value }) => value)].map(([value, each]) => {
      const where = weeks.length === 1 ? '' : ` in ${count(each.length, 'week')}, such as ${weeks[each[0]?.week ?? 0]}`;
      return `${quoteValue(value)} ${sumOf(each, ({ rows }) => rows)} -> 0${where}`;
    });
    return `${what} ${nameSome(values, MAX_NAMED)}`;
  });
  return `all rows of a value that shows what was asked for are gone: ${columns.join('; ')}`;
}
