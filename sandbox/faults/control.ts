// Operations on the faults of a running sandbox: the same by function call and over HTTP.
import type { z } from 'zod';
import { ConfigurationError } from '../../src/core/errors.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import type { Executions } from '../protocol/executions.ts';
import type { Faults } from './faults.ts';
import { columnNames, mapping, oneOf, portion, weeks } from './fields.ts';
import { describeMistake, type FaultPlanInput, parseFaultPlan } from './plan.ts';

const restateSchema = mapping({
  operation: oneOf(['any', ...DATASETS.map(({ name }): string => name)]).default('any'),
  share: portion().default(0.1),
  vanish: portion().default(0),
  appear: portion().default(0),
  columns: columnNames(),
  weeks: weeks(),
});

/** What to restate: shares of the rows, 0 to 1, of one operation or of all, in some weeks or in all. */
export type RestateInput = z.input<typeof restateSchema>;

export interface FaultControl {
  /** Replaces the plan and resets the counts. Throws ConfigurationError that lists all mistakes of the plan. */
  setFaults(plan: FaultPlanInput): void;
  /** Ends the plan. Effects on executions remain: their rows, and that they failed. */
  clearFaults(): void;
  /** Restates rows that were reported before; replaces an earlier restatement. Returns the number of the restatement. */
  restate(how?: RestateInput): number;
  /** Expires every executionId given out so far. Returns their number. */
  expire(): number;
  /** Refuses one credential, by its name in the report, or all of them. Returns the names. */
  revoke(credential?: string): readonly string[];
  /** Accepts one credential, or all of them, again. Returns the names. */
  restore(credential?: string): readonly string[];
}

export type ControlTools = Readonly<{ faults: Faults; executions: Executions; credentials: readonly string[]; now: () => Date }>;

export function createFaultControl({ faults, executions, credentials, now }: ControlTools): FaultControl {
  const named = (credential: string | undefined): readonly string[] => {
    if (credential === undefined) return credentials;
    if (!credentials.includes(credential)) {
      throw new ConfigurationError(`there is no credential ${credential}; there is ${credentials.join(', ')}`);
    }
    return [credential];
  };
  return {
    setFaults: (plan) => faults.setPlan(parseFaultPlan(plan), now()),
    clearFaults: () => faults.clearPlan(),
    restate(how = {}) {
      const parsed = restateSchema.safeParse(how);
      if (!parsed.success) throw new ConfigurationError(parsed.error.issues.map(describeMistake).join('; '));
      const { operation, ...rest } = parsed.data;
      return faults.demand().restate(operation, rest);
    },
    expire() {
      faults.demand().expire(executions.all());
      return executions.size;
    },
    revoke(credential) {
      const names = named(credential);
      faults.demand().revoke(names);
      return names;
    },
    restore(credential) {
      const names = named(credential);
      faults.demand().restore(names);
      return names;
    },
  };
}
