// What is worth a signal: the thresholds of the rules in signals/*.sql, by the names that their headers have.
import type { z } from 'zod';
import { flag, percentPoints, section, wholeNumber } from './fields.ts';
import type { SignalSettings } from './settings.ts';

const least = (description: string, usual: number) => wholeNumber(description, { min: 1, max: 1_000_000_000 }).default(usual);

export const signalsSchema = section(
  {
    enabled: flag('Whether rules look at the weeks.').default(true),
    least_volume: least('Search volume a month from which on a search counts.', 1_000),
    least_points: percentPoints('Percentage points by which a share must have moved, beside being beyond noise.').default(1),
    least_lead: percentPoints('Percentage points by which a site must be ahead of us to have overtaken us.').default(0.1),
    least_rise: percentPoints('Percentage points by which a site must be above its mean of the four weeks before to rise.').default(0.5),
    least_citations: least('Citations the week before from which on a page that is cited no longer counts.', 5),
    least_criticism: least('New negative sentences of an assistant about a brand from which on they count.', 5),
    least_naming: least('Answers that named us on a topic the week before, from which on it counts that none does.', 3),
  },
  'What is worth a signal.',
);

export const THRESHOLD_NAMES: readonly string[] = Object.keys(signalsSchema.shape).filter((name) => name !== 'enabled');

export function resolveSignals({ enabled, ...thresholds }: z.output<typeof signalsSchema>): SignalSettings {
  return { isEnabled: enabled, thresholds };
}
