// What is worth a signal: the thresholds of the rules in signals/*.sql, by the names that their headers have.
import type { z } from 'zod';
import { flag, percentPoints, section, wholeNumber } from './fields.ts';
import type { SignalSettings } from './settings.ts';

const least = (description: string, usual: number) => wholeNumber(description, { min: 1, max: 1_000_000_000 }).default(usual);

export const signalsSchema = section(
  {
    enabled: flag('Whether rules look at the weeks.').default(true),
    least_volume: least('Search volume a month that a search must have to count.', 1_000),
    least_points: percentPoints('Percentage points by which a share must have moved at least; the move must be beyond noise, too.').default(
      1,
    ),
    least_lead: percentPoints('Percentage points by which a site must be ahead of us to have overtaken us.').default(0.1),
    least_rise: percentPoints('Percentage points by which a site must be above its mean of the four weeks before to rise.').default(0.5),
    least_citations: least('How many citations a page must have had the week before, where it has none now.', 5),
    least_criticism: least('How many new negative sentences of an assistant about a brand make a signal.', 5),
    least_naming: least('How many answers on a topic must have named us the week before, where none does now.', 3),
  },
  'What is worth a signal.',
);

export const THRESHOLD_NAMES: readonly string[] = Object.keys(signalsSchema.shape).filter((name) => name !== 'enabled');

export function resolveSignals({ enabled, ...thresholds }: z.output<typeof signalsSchema>): SignalSettings {
  return { isEnabled: enabled, thresholds };
}
