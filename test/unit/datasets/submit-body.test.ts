import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { DATASETS, datasetNamed } from '../../../src/datasets/index.ts';
import { buildSubmitBody } from '../../../src/datasets/submit-body.ts';

const WEEK = { start: '2026-11-08', end: '2026-11-14' };

describe.each(DATASETS)('the submit body of $name', (dataset) => {
  it('carries the account, the period under the names of the operation, and WEEKLY when nothing else is asked for', () => {
    const [start, end] = dataset.name === 'ai_search_response' ? ['time_period_start', 'time_period_end'] : ['start_date', 'end_date'];
    expect(buildSubmitBody({ dataset, accountId: 12345, filters: {} }, WEEK)).toEqual({
      account_id: 12345,
      [start]: '2026-11-08',
      [end]: '2026-11-14',
      collection_frequency: 'WEEKLY',
    });
  });

  it('carries every filter of the dataset as it was given', () => {
    const samples = { integer: 7, string: 'x', boolean: false, integers: [1, 2], strings: ['a', 'b'] };
    const filters = Object.fromEntries(dataset.filters.map(({ name, type }) => [name, samples[type]]));
    expect(buildSubmitBody({ dataset, accountId: 1, filters }, WEEK)).toMatchObject(filters);
  });
});

it('has limit in ai_search_response alone, and prompt_type in the other AI datasets alone', () => {
  const everything = { limit: 10, prompt_type: 'branded' };
  const fields = (name: string): string[] =>
    Object.keys(buildSubmitBody({ dataset: datasetNamed(name), accountId: 1, filters: everything }, WEEK));
  expect(fields('ai_search_response')).toContain('limit');
  expect(fields('ai_search_response')).not.toContain('prompt_type');
  expect(fields('ai_search_brands')).toContain('prompt_type');
  expect(fields('ai_search_brands')).not.toContain('limit');
});

it('sends the collection frequency that a filter asks for', () => {
  const body = buildSubmitBody(
    { dataset: datasetNamed('keyword_rankings'), accountId: 1, filters: { collection_frequency: 'DAILY' } },
    WEEK,
  );
  expect(body.collection_frequency).toBe('DAILY');
});

it.each([
  ['ends before it starts', { start: '2026-11-14', end: '2026-11-08' }],
  ['ends on the day it starts', { start: '2026-11-08', end: '2026-11-08' }],
  ['has a day that is not in the calendar', { start: '2026-02-22', end: '2026-02-30' }],
])('is never made for a window that %s', (_reason, window) => {
  expect(() => buildSubmitBody({ dataset: datasetNamed('keyword_rankings'), accountId: 1, filters: {} }, window)).toThrow(
    ConfigurationError,
  );
});
