// The filters of the jobs that load a panel's datasets, in words.
import type { JSX } from 'preact';
import { nameWeeks } from './gaps.tsx';
import type { Source } from './sources.ts';

/** `countries: US, DE · devices: DESKTOP` */
export function describeFilters(filters: Source['filters']): string {
  const all = Object.entries(filters).map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`);
  return all.length === 0 ? 'no filters: everything' : all.join(' · ');
}

/** The filters of each job. */
export function Filters({ sources }: Readonly<{ sources: readonly Source[] }>): JSX.Element {
  if (sources.length === 0) return <p class="fine">No job loads it for this account.</p>;
  return (
    <dl class="filters">
      {sources.map(({ job, filters, isConfigured, isEnabled, weeksOfOtherFilters }) => (
        <div key={job}>
          <dt>
            {job}
            {!isConfigured && ' (removed)'}
            {isConfigured && !isEnabled && ' (not planned)'}
          </dt>
          <dd>
            {describeFilters(filters)}
            {weeksOfOtherFilters && weeksOfOtherFilters.length > 0 && (
              <strong class="warning"> Weeks of other filters: {nameWeeks(weeksOfOtherFilters)}</strong>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
