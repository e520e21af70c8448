// The fault plan: which calls meet which fault, and when. docs/sandbox.md, "Faults", is its reference.
import { z } from 'zod';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { Dataset } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import type { Call } from '../protocol/observations.ts';
import { callsMeeting, type Fault, type FaultInput, faultSchema } from './fault.ts';
import { mapping, milliseconds, oneOf, portion, text, whole } from './fields.ts';
import { isAboutRow, valueColumnOf } from './strange-values.ts';

const CALLS_NAMED: Readonly<Record<'submit' | 'poll' | 'page' | 'read', readonly Call[]>> = {
  submit: ['submit'],
  poll: ['poll'],
  page: ['page'],
  read: ['poll', 'page'],
};

const onSchema = mapping({
  operation: oneOf(['any', ...DATASETS.map(({ name }): string => name)]).default('any'),
  call: oneOf(['any', 'submit', 'poll', 'page', 'read']).default('any'),
  execution: whole(1).optional(),
});

const whenSchema = mapping({
  nth: whole(1).optional(),
  every: whole(1).optional(),
  probability: portion().optional(),
  times: whole(1).optional(),
  after_ms: milliseconds().default(0),
  until_ms: milliseconds(1).optional(),
});

const ruleSchema = mapping({
  name: text().optional(),
  on: onSchema.prefault({}),
  when: whenSchema.prefault({}),
  fault: faultSchema,
}).superRefine((rule, context) => {
  for (const [path, message] of contradictions(rule)) context.addIssue({ code: 'custom', path: [...path], message });
});

const planSchema = mapping({
  seed: z.int({ error: 'must be a whole number' }).default(1),
  rules: z.array(ruleSchema, { error: 'must be a list of rules' }),
});

export type Rule = Readonly<Omit<z.infer<typeof ruleSchema>, 'fault'> & { fault: Fault }>;
/** As written in a file: `on`, `when` and everything with a default may be left out. */
export type FaultPlanInput = Readonly<{
  seed?: number;
  rules: readonly Readonly<{
    name?: string | undefined;
    on?: z.input<typeof onSchema>;
    when?: z.input<typeof whenSchema>;
    fault: FaultInput;
  }>[];
}>;
export type FaultPlan = Readonly<{ seed: number; rules: readonly Rule[] }>;

/** A mistake in a plan, and its place. */
export type PlanMistake = Readonly<{ path: readonly PropertyKey[]; message: string }>;

/** The plan with its defaults, or all its mistakes. */
export function checkFaultPlan(value: unknown): Readonly<{ plan: FaultPlan }> | Readonly<{ mistakes: readonly PlanMistake[] }> {
  const parsed = planSchema.safeParse(value);
  return parsed.success
    ? { plan: parsed.data as FaultPlan }
    : { mistakes: parsed.error.issues.map(({ path, message }) => ({ path, message })) };
}

/** The plan with its defaults. Throws ConfigurationError that lists all mistakes. */
export function parseFaultPlan(value: unknown): FaultPlan {
  const checked = checkFaultPlan(value);
  if ('plan' in checked) return checked.plan;
  throw new ConfigurationError(`the fault plan cannot be used: ${checked.mistakes.map(describeMistake).join('; ')}`);
}

/** For example `rules[2].when.nth must be a whole number from 1`. */
export function describeMistake({ path, message }: PlanMistake): string {
  const place = path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');
  return `${place === '' ? 'the plan' : place} ${message}`;
}

/** Kinds of calls to which a rule can apply. */
export function callsOf({ on, fault }: Pick<Rule, 'on' | 'fault'>): readonly Call[] {
  const { possible, meant } = callsMeeting(fault.kind);
  return on.call === 'any' ? meant : CALLS_NAMED[on.call].filter((call) => possible.includes(call));
}

/** Whether a rule applies to every call of its operation while its time lasts, independent of earlier calls. */
export function isStanding({ on, when }: Rule): boolean {
  return [on.execution, when.nth, when.every, when.probability, when.times].every((choice) => choice === undefined);
}

function contradictions(rule: Omit<Rule, 'name'>): (readonly [path: readonly PropertyKey[], message: string])[] {
  const { on, when, fault } = rule;
  const found: (readonly [readonly PropertyKey[], string])[] = [];
  if (callsOf(rule).length === 0) {
    found.push([['on', 'call'], `${on.call} never meets ${fault.kind}, which is for ${callsMeeting(fault.kind).possible.join(' and ')}`]);
  }
  const chosen = (['nth', 'every', 'probability'] as const).filter((name) => when[name] !== undefined);
  if (chosen.length > 1) found.push([['when'], `must have one of ${chosen.join(' and ')}, not both`]);
  if (when.until_ms !== undefined && when.until_ms <= when.after_ms) found.push([['when', 'until_ms'], 'must come after after_ms']);
  if ('calls' in fault && fault.calls !== undefined && fault.for_ms !== undefined) {
    found.push([['fault'], 'must have one of for_ms and calls, not both']);
  }
  if ('rows' in fault && fault.rows !== undefined && fault.share !== undefined) {
    found.push([['fault'], 'must have one of rows and share, not both']);
  }
  const meant = DATASETS.filter(({ name }) => on.operation === 'any' || on.operation === name);
  const whose = on.operation === 'any' ? 'a dataset' : on.operation;
  // Not every dataset has every column, but at least one must have it.
  for (const [index, column] of (fault.kind === 'restate' ? (fault.columns ?? []) : []).entries()) {
    if (!DATASETS.some(({ columns }) => columns.some(({ name }) => name === column)))
      found.push([['fault', 'columns', index], 'must be a column of a dataset']);
  }
  if (!meant.some((dataset) => hasColumnFor(dataset, fault))) {
    const which = fault.kind === 'bad_value' ? `, of a type that ${fault.value} does not fit` : '';
    const whichOdd = fault.kind === 'odd_value' ? `, of the type that ${fault.value} is written for` : '';
    found.push([['fault', 'column'], `must be a column of ${whose}${which}${whichOdd}`]);
  }
  return found;
}

/** Whether the dataset has the column that the fault concerns, if it concerns one. */
function hasColumnFor(dataset: Dataset, fault: Fault): boolean {
  if (fault.kind === 'bad_value' || fault.kind === 'odd_value') {
    return isAboutRow(fault) || valueColumnOf(dataset, fault) !== undefined;
  }
  if (fault.kind !== 'drift' || fault.change === 'new_column' || fault.column === undefined) return true;
  return dataset.columns.some(({ name }) => name === fault.column);
}
