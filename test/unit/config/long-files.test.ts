// A running process that gets another file of the largest size: no step of what it does with it takes long. Steps are measured in CPU time of
// the thread, which other work on the machine does not change.
import { describe, expect, it } from 'vitest';
import { MAX_FILTER_VALUES } from '../../../src/config/check-filter-values.ts';
import { describeChanges } from '../../../src/config/compare-configs.ts';
import { MAX_JOBS } from '../../../src/config/entry-jobs.ts';
import { type LoadedJobsConfig, parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { packParts, Unpacker } from '../../../src/config/packed-settings.ts';
import { MEBIBYTE } from '../../../src/core/byte-sizes.ts';
import { findRenames, type KnownQuestion, type NamedQuestion } from '../../../src/ledger/renames.ts';
import { longestStepMs } from '../../support/longest-step.ts';

/**
 * The promise is that a process answers within 100 ms. Where other work uses the processor's caches, the same step takes up to twice the CPU time. What this
 * guards against took seconds.
 */
const MOST_MS = 250;
const PATIENCE = { timeout: 600_000 };

const HEAD = `connections: { main: { base_url: "https://api.example.com", auth: { token: "\${TOKEN}" } } }
defaults: { since: 2026-09-06, dataset: ai_search_brands, connection: main }
jobs:
`;
const read = (jobs: string): LoadedJobsConfig =>
  parseJobsConfig('jobs.yaml', HEAD + jobs, { TOKEN: 'secret' }, { now: () => new Date('2026-11-16') });
const range = (length: number): number[] => Array.from({ length }, (_, at) => at);

/** One entry with an account per job, each with the same topics. */
const entry = (name: string, jobs: number, topics: number): string =>
  `- { name: ${name}, account_ids: [${range(jobs).map((at) => at + 1)}], filters: { topics: [${range(topics).map((at) => `${name}${at}`)}] } }\n`;

/** Files that differ by a letter: in the names of their jobs, or in their filters. */
const FILES: readonly (readonly [string, (letter: string) => string])[] = [
  ['10,000 renamed jobs with other filters', (letter) => entry(letter, MAX_JOBS, MAX_FILTER_VALUES / MAX_JOBS)],
  [
    '1 MiB of values in one job',
    (letter) => {
      const count = Math.floor((MEBIBYTE - 2_000) / 'a123456, '.length);
      return `- { name: one, account_id: 1, filters: { topics: [${range(count).map((at) => `${letter}${100_000 + at}`)}] } }\n`;
    },
  ],
];

describe('a file of the largest size', () => {
  it.each(FILES)('is taken over from its thread, and compared, in short steps: %s', PATIENCE, async (_, fileOf) => {
    const [before, after] = [read(fileOf('a')), read(fileOf('b'))];
    const parts = packParts(after);
    const taken = await longestStepMs(async () => {
      const unpacker = new Unpacker();
      for (const part of parts) {
        await new Promise(setImmediate);
        await unpacker.add(structuredClone(part));
      }
      return unpacker.last as LoadedJobsConfig;
    });
    expect(taken.result.config.jobs).toHaveLength(after.config.jobs.length);
    expect(taken.longestMs).toBeLessThan(MOST_MS);
    const compared = await longestStepMs(() => describeChanges(before.config, taken.result.config));
    expect(compared.result.length).toBeGreaterThan(0);
    expect(compared.longestMs).toBeLessThan(MOST_MS);
  });

  it('that would repeat its filters for too many accounts is refused, with its line', () => {
    expect(() => read(entry('a', MAX_JOBS, 1 + MAX_FILTER_VALUES / MAX_JOBS))).toThrow(
      /jobs.yaml:4:\d+: jobs\[0\].filters: make the jobs up to this entry have 510000 filter values together, more than the 500000/,
    );
  });
});

describe('renames among 10,000 jobs of one account', () => {
  const question = (name: string, filters: NamedQuestion['filters']): KnownQuestion => ({
    name,
    dataset: 'ai_search_brands',
    accountId: 1,
    filters,
    filtersDigest: JSON.stringify(filters),
    removedAt: null,
    isElsewhere: false,
  });
  const asked = (questions: readonly KnownQuestion[]): NamedQuestion[] =>
    questions.map(({ dataset, ...rest }) => ({
      ...rest,
      filters: rest.filters as NamedQuestion['filters'],
      dataset: { name: dataset },
      isEnabled: true,
    }));
  const jobs = (filtersOf: (at: number) => NamedQuestion['filters'], name = 'job'): KnownQuestion[] =>
    range(MAX_JOBS).map((at) => question(`${name}-${at}`, filtersOf(at)));
  const topics = (at: number) => ({ topics: [`topic ${at % MAX_JOBS}`] });

  it.each([
    ['which all have other names', jobs(topics, 'other'), MAX_JOBS],
    ['which all ask for what no job asked for', jobs((at) => ({ topics: [`new ${at}`] })), 0],
    ['which all went round, with other filters, too', jobs((at) => ({ ...topics(at + 1), languages: ['en_US'] })), MAX_JOBS],
    ['which all ask for the same', jobs(() => ({ topics: ['topic 1'] })), 0],
  ])('are found in short steps: jobs %s', PATIENCE, async (_, now, moved) => {
    const { result, longestMs } = await longestStepMs(() => findRenames(jobs(topics), asked(now)));
    expect(result.moves.size).toBe(moved);
    expect(longestMs).toBeLessThan(MOST_MS);
  });
});
