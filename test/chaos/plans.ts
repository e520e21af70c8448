// The ready-made fault plans of test/chaos/plans.
import { readFileSync } from 'node:fs';
import type { FaultPlan } from '../../sandbox/faults/plan.ts';
import { parseFaultPlanText } from '../../sandbox/faults/plan-file.ts';

/** `weather-mild` reads plans/weather-mild.yaml. Throws ConfigurationError. */
export function readPlan(name: string): FaultPlan {
  const file = `${name}.yaml`;
  return parseFaultPlanText(readFileSync(new URL(`./plans/${file}`, import.meta.url), 'utf8'), file);
}
