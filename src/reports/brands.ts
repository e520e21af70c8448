// Names of our brands and of those of rivals, as configured in the jobs of an account. Facts of prompts count the answers that have them.
import { domainToUnicode } from 'node:url';
import type { Brand, Job } from '../config/settings.ts';
import { bareDomain } from '../core/bare-domain.ts';
import { compareText } from '../core/compare-text.ts';
import { foldedText, namesPattern } from '../core/name-pattern.ts';
import type { AccountSetting } from './account-settings.ts';

/** What is found by any of our names: it has no name of its own. */
const OURS = '';

/** The names of all jobs of an account. */
export const brandsOf = (jobs: readonly Pick<Job, 'ownBrands' | 'rivalBrands'>[]): AccountSetting => ({
  setting: 'brands',
  find: async () => {
    const meaning = storedBrands(combined(jobs.flatMap((job) => job.ownBrands)), combined(jobs.flatMap((job) => job.rivalBrands)));
    return meaning ? [{ kind: '', value: '', meaning: JSON.stringify(meaning) }] : [];
  },
  subjects: ['answers'],
});

/** Each name once, with the spellings of all jobs that configure it, in order. */
function combined(brands: readonly Brand[]): Brand[] {
  const spellings = new Map<string, Set<string>>();
  for (const { name, spellings: others } of brands)
    spellings.set(name, new Set([...(spellings.get(name) ?? []), ...[name, ...others].flatMap(asDomain)]));
  return [...spellings]
    .map(([name, all]) => ({ name, spellings: [...all].toSorted(compareText) }))
    .toSorted((a, b) => compareText(a.name, b.name));
}

/** A name that is a domain is found in both of its forms: münchen.example is the same as xn--mnchen-3ya.example. */
function asDomain(name: string): string[] {
  return /^[^\s./]+(\.[^\s./]+)+$/.test(name) ? [name, bareDomain(name), domainToUnicode(name) || name] : [name];
}

/** The columns of search_reports.brands; undefined without any name. */
function storedBrands(own: readonly Brand[], rivals: readonly Brand[]): Readonly<Record<string, unknown>> | undefined {
  const voices = [
    ...(own.length > 0 ? [{ name: OURS, spellings: own.flatMap(({ spellings }) => spellings) }] : []),
    ...rivals.map(({ name, spellings }) => ({ name, spellings })),
  ];
  if (voices.length === 0) return undefined;
  const known = voices.flatMap(({ name, spellings }) =>
    spellings.flatMap((spelling) => [asciiLower(spelling), foldedText(spelling)].map((key) => [key, name] as const)),
  );
  return {
    own_names: own.map(({ name }) => name),
    rival_names: rivals.map(({ name }) => name),
    pattern: namesPattern(voices.flatMap(({ spellings }) => spellings)),
    patterns: voices.map(({ spellings }) => `^${namesPattern(spellings)}$`),
    spellings: Object.fromEntries(known.toSorted(([a], [b]) => compareText(a, b))),
  };
}

/** As lower() of Postgres without a locale. */
const asciiLower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
