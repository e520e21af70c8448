// What can be asked of the faults of a running sandbox: the same by function and over HTTP.
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

/** What to restate: shares of the rows, 0 to 1, of an operation or of all, in some weeks or in all. */
export type RestateInput = z.input<typeof restateSchema>;

export interface FaultControl {
  /** Sets a plan in place of the one before, and begins to count. Throws ConfigurationError that says all that is wrong with it. */
  setFaults(plan: FaultPlanInput): void;
  /** Ends the plan. What stays with executions stays: their rows, and that they failed. */
  clearFaults(): void;
  /** Restates rows that were reported before, in place of what was restated before. Returns the number of the restatement. */
  restate(how?: RestateInput): number;
  /** Lets every executionId given out so far expire now. Returns how many. */
  expire(): number;
  /** Refuses a credential, by its name in the report, or all of them. Returns the names. */
  revoke(credential?: string): readonly string[];
  /** Lets it in again. */
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
