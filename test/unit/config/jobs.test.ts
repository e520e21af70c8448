// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestQuestion } from '../../../src/config/jobs.ts';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import type { Job } from '../../../src/config/settings.ts';
import { addDays, startOfWeek, WEEKDAYS } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { buildSubmitBody } from '../../../src/datasets/submit-body.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { completeJobFile, jobFile, onlyJob } from './jobs-file.ts';

describe('a job', () => {
  it('needs a few fields, and has documented defaults for the rest', () => {
    const { dataset, ...job } = onlyJob(completeJobFile());
    expect(dataset).toBe(datasetNamed('keyword_rankings'));
    expect(job).toEqual({
      name: 'acme',
      isEnabled: true,
      connection: 'main',
      accountId: 1,
      filters: { collection_frequency: 'WEEKLY' },
      filtersDigest: expect.stringMatching(/^[0-9a-f]{32}$/),
      schedule: { cron: '0 6 * * 1', timezone: 'UTC' },
      since: '2026-09-06',
      lookbackWeeks: 1,
      weeksPerQuery: 1,
      weekStartsOn: 'sunday',
      pageSize: 1000,
      maxRejectedShare: 0.001,
      maxRejectedRows: 5,
      minKeepShare: 0.5,
      allowEmpty: false,
      maxWaitMs: 6 * 3600 * 1000,
      maxSubmits: 3,
      ownDomains: [],
      competitors: [],
      ownBrands: [],
      rivalBrands: [],
    });
  });

  /** Every field but name, dataset and filters, and what it becomes. */
  const FIELDS: Readonly<Record<string, Partial<Job>>> = {
    'connection: main': { connection: 'main' },
    'account_id: 7': { accountId: 7 },
    'schedule: { cron: "5 4 * * 2", timezone: Europe/Berlin }': { schedule: { cron: '5 4 * * 2', timezone: 'Europe/Berlin' } },
    'since: 2026-09-07': { since: '2026-09-07' },
    'lookback_weeks: 0': { lookbackWeeks: 0 },
    'weeks_per_query: 4': { weeksPerQuery: 4 },
    'week_starts_on: { day: monday, even_if_refused: true }': { weekStartsOn: 'monday' },
    'page_size: 250': { pageSize: 250 },
    'max_rejected: 0.25': { maxRejectedShare: 0.25, maxRejectedRows: 0 },
    'min_keep: 0.75': { minKeepShare: 0.75 },
    'allow_empty: true': { allowEmpty: true },
    'max_wait: 90s': { maxWaitMs: 90_000 },
    'max_submits: 9': { maxSubmits: 9 },
    'enabled: false': { isEnabled: false },
  };
  const fields = Object.keys(FIELDS);
  const resolved: Partial<Job> = Object.assign({}, ...Object.values(FIELDS));

  it('takes every field from itself', () => {
    expect(onlyJob(jobFile(...fields))).toMatchObject(resolved);
  });

  it('takes every field but name and filters from defaults, the dataset too', () => {
    const text = `defaults: { dataset: ai_search_fan_out, ${fields.join(', ')} }\n${jobFile().replace('    dataset: keyword_rankings\n', '')}`;
    expect(onlyJob(text)).toMatchObject({ ...resolved, dataset: datasetNamed('ai_search_fan_out') });
  });

  it('prefers its own fields to those of defaults, within the schedule key by key', () => {
    const defaults = 'defaults: { page_size: 10, max_submits: 2, schedule: { cron: "0 1 * * *", timezone: Asia/Tokyo } }\n';
    expect(onlyJob(defaults + completeJobFile('page_size: 20', 'schedule: { cron: "0 2 * * *" }'))).toMatchObject({
      pageSize: 20,
      maxSubmits: 2,
      schedule: { cron: '0 2 * * *', timezone: 'Asia/Tokyo' },
    });
  });

  it('takes numbers from variables, in quotes or not', () => {
    const env = { ACCOUNT: '12345', SHARE: '.5', WAIT: '2', DAY: '06' };
    const job = onlyJob(jobFile('account_id: ${ACCOUNT}', 'min_keep: "${SHARE}"', 'max_wait: ${WAIT}h', 'since: 2026-09-${DAY}'), env);
    expect(job).toMatchObject({ accountId: 12345, minKeepShare: 0.5, maxWaitMs: 7_200_000, since: '2026-09-06' });
  });

  it.each<[string, [number, number]]>([
    ['0.01', [0.01, 0]],
    ['"${SHARE}"', [0.5, 0]],
    ['{ rows: 20 }', [0.001, 20]],
    ['{ share: "${SHARE}" }', [0.5, 5]],
    ['{ share: 0.02, rows: 0 }', [0.02, 0]],
  ])('may publish with %s rejected', (written, [maxRejectedShare, maxRejectedRows]) => {
    expect(onlyJob(completeJobFile(`max_rejected: ${written}`), { SHARE: '0.5' })).toMatchObject({ maxRejectedShare, maxRejectedRows });
  });

  it.each([
    ['1s', 1_000],
    ['30m', 1_800_000],
    ['6h', 21_600_000],
    ['7d', 604_800_000],
    ['168h', 604_800_000],
  ])('may wait %s', (duration, ms) => {
    expect(onlyJob(completeJobFile(`max_wait: ${duration}`)).maxWaitMs).toBe(ms);
  });

  it('starts with the week that holds its first day', () => {
    expect(onlyJob(jobFile('account_id: 1', 'since: 2026-09-12')).since).toBe('2026-09-06');
    expect(onlyJob(jobFile('account_id: 1', 'since: 2026-09-13')).since).toBe('2026-09-13');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), fc.constantFrom(...WEEKDAYS), (days, weekStartsOn) => {
        const date = addDays('2000-01-01', days);
        const { since } = onlyJob(
          jobFile('account_id: 1', `since: ${date}`, `week_starts_on: { day: ${weekStartsOn}, even_if_refused: true }`),
          {},
          { now: () => new Date('2100-01-01T00:00:00Z') },
        );
        expect(since <= date && addDays(since, 7) > date).toBe(true);
        expect(startOfWeek(since, weekStartsOn)).toBe(since);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it('is asked for with its account, its filters and WEEKLY', () => {
    const job = onlyJob(completeJobFile('filters: { max_rank: 20, devices: [DESKTOP] }'));
    expect(buildSubmitBody(job, { start: '2026-09-06', end: '2026-09-12' })).toEqual({
      account_id: 1,
      start_date: '2026-09-06',
      end_date: '2026-09-12',
      collection_frequency: 'WEEKLY',
      max_rank: 20,
      devices: ['DESKTOP'],
    });
  });

  it('cannot be changed, nor anything else of the settings', () => {
    const { config } = parseJobsConfig('jobs.yaml', completeJobFile('filters: { devices: [DESKTOP] }'), {});
    const [job] = config.jobs;
    for (const value of [
      config,
      config.jobs,
      job,
      job?.filters,
      job?.filters.devices,
      job?.schedule,
      job?.dataset.columns,
      config.connections.get('main')?.callsPerMinute,
    ]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
    const connections = config.connections as Map<string, unknown>;
    for (const change of [() => connections.set('x', 1), () => connections.delete('main'), () => connections.clear()])
      expect(change).toThrow(/cannot be changed/);
    expect([...connections.keys()]).toEqual(['main']);
  });
});

describe('the digest of a question', () => {
  const question = {
    dataset: datasetNamed('keyword_rankings'),
    accountId: 1,
    filters: { collection_frequency: 'WEEKLY', countries: ['US', 'DE'], keyword_group_ids: [2, 10, 1], max_rank: 20 },
  };
  const digest = digestQuestion(question, 'https://x.example');

  it('stays what it is from release to release, since the ledger remembers it', () => {
    expect(digest).toBe('c93a15026e56b32c9a855754418e1c84');
  });

  it('does not depend on the order of filters, nor of the items of a list, nor on repeated items', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(Object.keys(question.filters), { minLength: 4 }),
        fc.shuffledSubarray(['US', 'DE'], { minLength: 2 }),
        fc.shuffledSubarray([2, 10, 1], { minLength: 3 }),
        (names, countries, ids) => {
          const values: Record<string, unknown> = { ...question.filters, countries: [...countries, 'US'], keyword_group_ids: ids };
          const filters = Object.fromEntries(names.map((name) => [name, values[name]]));
          expect(digestQuestion({ ...question, filters }, 'https://x.example')).toBe(digest);
        },
      ),
    );
  });

  it.each([
    ['dataset', { ...question, dataset: datasetNamed('highest_ranking_url_per_keyword') }],
    ['account', { ...question, accountId: 2 }],
    ['value of a filter', { ...question, filters: { ...question.filters, max_rank: 21 } }],
    ['type of a value', { ...question, filters: { ...question.filters, keyword_group_ids: ['2', '10', '1'] } }],
    ['list that is shorter', { ...question, filters: { ...question.filters, countries: ['US'] } }],
    ['items moved to another filter', { ...question, filters: { ...question.filters, countries: [], languages: ['US', 'DE'] } }],
    ['filter more', { ...question, filters: { ...question.filters, includeMsv: false } }],
  ])('changes with another %s', (_what, other) => {
    expect(digestQuestion(other, 'https://x.example')).not.toBe(digest);
  });

  it('changes with the base URL, but not with the spelling of it, the name of the job or its schedule', () => {
    const digestOf = (text: string): string => onlyJob(text).filtersDigest;
    const text = completeJobFile('filters: { max_rank: 20 }');
    expect(digestOf(text.replace('gateway.example.com', 'other.example.com'))).not.toBe(digestOf(text));
    const same = text.replace('gateway.example.com', 'GATEWAY.example.com:443/').replace('name: acme', 'name: other');
    expect(digestOf(`${same}    schedule: { cron: "0 1 * * *" }\n    page_size: 10\n`)).toBe(digestOf(text));
    expect(digestOf(text.replace('{ max_rank', '{ collection_frequency: WEEKLY, max_rank'))).toBe(digestOf(text));
  });
});
