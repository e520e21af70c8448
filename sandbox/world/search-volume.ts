// Search volumes and prices of a keyword in a country: heavy-tailed, seasonal, rounded to the steps of ad tools.
import { season } from './fortunes.ts';
import { below, mix, share } from './hash.ts';
import type { Keyword } from './keywords.ts';

/** The last five values of a ranking row, in the service's order, as on the wire. */
export type VolumeValues = readonly [
  average: string | null,
  cpc: string | null,
  competition: string | null,
  approximate: string | null,
  month: string | null,
];

export const NO_VOLUME: VolumeValues = [null, null, null, null, null];

/** Share of keywords without bids. */
const NO_BIDS_SHARE = 0.05;
const STEPS = [1, 1.1, 1.3, 1.6, 1.9, 2.4, 2.9, 3.6, 4.4, 5.4, 6.6, 8.1];

/**
 * Volumes for the last whole month before `weekEnd` (`YYYY-MM-DD`), because a month's searches are known only when it is over. `countryKey`
 * identifies the country.
 */
export function volumeOf(keyword: Keyword, countryKey: number, weekEnd: string): VolumeValues {
  const key = mix(mix(keyword.key, 0x76), countryKey);
  const typical = 10 ** (1.8 + 2.2 * share(key) ** 1.3);
  const { year, month } = monthBefore(weekEnd);
  const swing = 0.15 + 0.5 * share(mix(key, 1));
  const demand = 1 + swing * season(keyword.phrase.product.category.peakMonth, `${year}-${String(month).padStart(2, '0')}-15`);
  const trend = 1 + 0.06 * (share(mix(key, 2)) - 0.4) * (year - 2024);
  const hasBids = share(mix(key, 3)) >= NO_BIDS_SHARE;
  return [
    String(roundVolume(typical)),
    hasBids ? String((12 + below(mix(key, 4), 480)) / 100) : null,
    hasBids ? String(below(mix(key, 5), 101) / 100) : null,
    String(roundVolume(typical * demand * trend)),
    String(year * 100 + month),
  ];
}

function monthBefore(date: string): { year: number; month: number } {
  const year = Number(date.slice(0, 4));
  const month = Number(date.slice(5, 7));
  return month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };
}

/** Rounds down to a step: 10, 11, 13, ... 81, 100, 110 and so on; 0 below 10. */
function roundVolume(searches: number): number {
  if (searches < 10) return 0;
  const magnitude = 10 ** Math.floor(Math.log10(searches));
  const step = STEPS.findLast((candidate) => candidate * magnitude <= searches) ?? 1;
  return Math.round(step * magnitude);
}
