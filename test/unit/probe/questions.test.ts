import { expect, it } from 'vitest';
import { DATASETS, datasetNamed } from '../../../src/datasets/index.ts';
import { chooseQuestions, MAX_QUESTIONS } from '../../../src/probe/questions.ts';
import { jobOf } from '../../support/jobs.ts';

const RANKINGS = datasetNamed('keyword_rankings');
const BRANDS = datasetNamed('ai_search_brands');

/** A job of account 1 as its filters and its place tell it apart. */
const job = (name: string, filters: Record<string, unknown>, more: object = {}) => ({
  ...jobOf({ dataset: RANKINGS, accountId: 1 }),
  name,
  filters: filters as never,
  filtersDigest: JSON.stringify(filters),
  isEnabled: true,
  ...more,
});
const namesOf = (jobs: Parameters<typeof chooseQuestions>[0], datasets = [RANKINGS, BRANDS]) => {
  const { questions, left } = chooseQuestions(jobs, datasets, 1);
  return { asked: questions.map((question) => question.job ?? question.dataset.name), left };
};

it('asks once a dataset first, then further jobs with a filter not tried before, then those with other values, a dataset at a time', () => {
  const jobs = [
    job('desktop', { devices: ['DESKTOP'] }),
    job('phones', { devices: ['SMARTPHONE'] }),
    job('german', { languages: ['de'], devices: ['TABLET'] }),
    job('ours', { brand_or_product_attributions: ['You'] }, { dataset: BRANDS }),
    job('partners', { brand_or_product_attributions: ['Partner'] }, { dataset: BRANDS }),
    job('news', { intents: ['informational'] }, { dataset: BRANDS }),
  ];
  expect(namesOf(jobs)).toEqual({ asked: ['desktop', 'ours', 'german', 'news', 'phones', 'partners'], left: 0 });
});

it('asks nothing twice, and no disabled job, no job without filters and no other account further on', () => {
  const jobs = [
    job('desktop', { devices: ['DESKTOP'] }),
    job('same', { devices: ['DESKTOP'] }),
    job('off', { devices: ['SMARTPHONE'] }, { isEnabled: false }),
    job('all', {}),
    job('elsewhere', { devices: ['SMARTPHONE'] }, { accountId: 2 }),
  ];
  expect(namesOf(jobs)).toEqual({ asked: ['desktop', 'ai_search_brands'], left: 0 });
});

it('stops at its limit, and counts what it leaves out', () => {
  const jobs = Array.from({ length: 40 }, (_, at) => job(`job-${at}`, { countries: [`C${at}`] }));
  const { questions, left } = chooseQuestions(jobs, DATASETS, 1);
  expect(questions).toHaveLength(MAX_QUESTIONS);
  expect(new Set(questions.map(({ dataset }) => dataset))).toEqual(new Set(DATASETS));
  expect(left).toBe(40 + DATASETS.length - 1 - MAX_QUESTIONS);
});
