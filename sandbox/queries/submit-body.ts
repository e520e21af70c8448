// The valid content of a submit body, derived from the dataset's definition: one schema for checking requests and for the OpenAPI document.
// Source: service specification, "Submit body, by operation".
import { z } from 'zod';
import { type IsoDate, isIsoDate } from '../../src/core/weeks.ts';
import type { Dataset, Filter } from '../../src/datasets/dataset.ts';
import type { KnownDataset } from '../../src/datasets/index.ts';
import type { FilterValue, Query } from './query.ts';

const date = (description: string): z.ZodType<string> =>
  z.string().refine(isIsoDate, { error: 'must be a date of the calendar, written YYYY-MM-DD' }).meta({ format: 'date', description });

/** Strict: unknown fields are refused. Account and period are required, everything else is optional. */
export function submitSchema(dataset: Dataset): z.ZodType<Record<string, unknown>> {
  const filters = dataset.filters.map((filter) => [filter.name, valueSchema(filter).optional()] as const);
  return z.strictObject({
    account_id: z.int().meta({ description: 'Account to ask about.' }),
    [dataset.period.start]: date('First day of the period; of WEEKLY data the first day of a week.'),
    [dataset.period.end]: date('Last day of the period; must come after the first. Of WEEKLY data the last day of a week.'),
    ...Object.fromEntries(filters),
  });
}

function valueSchema(filter: Filter): z.ZodType {
  const schema = {
    integer: z.int().min(filter.min ?? Number.MIN_SAFE_INTEGER),
    string: z.string(),
    boolean: z.boolean(),
    integers: z.array(z.int()),
    strings: z.array(z.string()),
  }[filter.type];
  if (filter.name === 'prompts_groups_match') return z.enum(['any']).meta({ description: filter.comment });
  const description = filter.known ? `${filter.comment} Known values: ${filter.known.join(', ')}.` : filter.comment;
  return schema.meta({ description });
}

/** `accountIds`: existing accounts. `newestWeek`: first day of the newest week with rows. */
export type SubmitContext = Readonly<{ accountIds: ReadonlySet<number>; newestWeek: IsoDate }>;

export type SubmitParse = Readonly<{ query: Query }> | Readonly<{ problems: readonly string[] }>;

/** The query in a body, or all problems of the body, each naming its field. */
export function parseSubmit(
  dataset: KnownDataset,
  schema: z.ZodType<Record<string, unknown>>,
  body: unknown,
  context: SubmitContext,
): SubmitParse {
  const parsed = schema.safeParse(body);
  if (!parsed.success) return { problems: parsed.error.issues.flatMap((issue) => describeIssue(issue, body, dataset.name)) };
  const { account_id: accountId, [dataset.period.start]: start, [dataset.period.end]: end, ...filters } = parsed.data;
  const query: Query = {
    dataset,
    accountId: Number(accountId),
    window: { start: String(start), end: String(end) },
    filters: Object.fromEntries(Object.entries(filters).filter(isSet)),
    newestWeek: context.newestWeek,
    revisions: [],
  };
  const problems = contradictions(query, context);
  return problems.length > 0 ? { problems } : { query };
}

/** An empty list is like no filter, so it selects everything. */
function isSet(entry: [string, unknown]): entry is [string, FilterValue] {
  const value = entry[1];
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function contradictions({ dataset, accountId, window, filters }: Query, { accountIds }: SubmitContext): string[] {
  const problems: string[] = [];
  if (!accountIds.has(accountId)) {
    problems.push(`account_id ${accountId} is not an account of these credentials (there is ${[...accountIds].join(', ')})`);
  }
  if (window.end <= window.start)
    problems.push(`${dataset.period.end} ${window.end} must come after ${dataset.period.start} ${window.start}`);
  const { min_rank: best, max_rank: worst } = filters;
  if (typeof best === 'number' && typeof worst === 'number' && best > worst) {
    problems.push(`min_rank ${best} must not be above max_rank ${worst}`);
  }
  return problems;
}

/** One sentence per problem found by zod, naming the field as in the body: `devices[0] must be a string`. */
export function describeIssue(issue: z.core.$ZodIssue, body: unknown, operation: string): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${key} is not a field of ${operation}`);
  const path = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : String(part))).join('');
  if (issue.code === 'too_small') return [`${path} must be at least ${issue.minimum}`];
  if (issue.code === 'too_big') return [`${path} must be at most ${issue.maximum}`];
  if (issue.code !== 'invalid_type') return [`${path} ${lowerFirst(issue.message)}`];
  const isMissing = issue.path.length === 1 && (body as Record<PropertyKey, unknown>)[issue.path[0] as PropertyKey] === undefined;
  return [isMissing ? `${path} is required` : `${path} must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`];
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  number: 'an integer',
  int: 'an integer',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
};

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
