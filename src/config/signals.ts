// The thresholds of the rules in signals/*.sql, by the names in their headers.
import type { z } from 'zod';
import { flag, percentPoints, section, wholeNumber } from './fields.ts';
import type { SignalSettings } from './settings.ts';

const least = (description: string, usual: number) => wholeNumber(description, { min: 1, max: 1_000_000_000 }).default(usual);

export const signalsSchema = section(
  {
    enabled: flag('Whether the rules are evaluated.').default(true),
    least_volume: least('Monthly search volume that a search needs to count.', 1_000),
    least_points: percentPoints('Minimum change of a share in percentage points; the change must also be beyond noise.').default(1),
    least_lead: percentPoints('Percentage points by which a site must be ahead of us to count as having overtaken us.').default(0.1),
    least_rise: percentPoints(
      'Percentage points by which a site must be above its mean of the four weeks before to count as rising.',
    ).default(0.5),
    least_citations: least('Minimum number of citations that a page had the week before, if it has none now.', 5),
    least_criticism: least('Minimum number of new negative sentences of an assistant about a brand.', 5),
    least_naming: least('Minimum number of answers on a topic that named us the week before, if none does now.', 3),
  },
  'How large a change must be to become a signal.',
);

export const THRESHOLD_NAMES: readonly string[] = Object.keys(signalsSchema.shape).filter((name) => name !== 'enabled');

export function resolveSignals({ enabled, ...thresholds }: z.output<typeof signalsSchema>): SignalSettings {
  return { isEnabled: enabled, thresholds };
}
