// own_brands and rival_brands: names that share of voice looks for, each with other spellings if it has any.
import { describe, expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { defaultsFile, mistakesIn } from './jobs-file.ts';

const file = (defaults: readonly string[], jobs: readonly string[] = ['name: a, account_id: 1']): string =>
  defaultsFile(
    defaults,
    jobs.map((job) => (job.includes('dataset:') ? job : `dataset: ai_search_response, ${job}`)),
  );

function brandsIn(defaults: readonly string[], jobs?: readonly string[]): unknown {
  const { config } = parseJobsConfig('jobs.yaml', file(defaults, jobs), {});
  return config.jobs.map(({ name, ownBrands, rivalBrands }) => [name, ownBrands, rivalBrands]);
}

describe('names of brands', () => {
  it('are texts, or mappings with other spellings', () => {
    expect(brandsIn(['own_brands: [Acme, { name: Acme Pro, spellings: [AcmePro] }]', 'rival_brands: [{ name: Rival }]'])).toEqual([
      [
        'a',
        [
          { name: 'Acme', spellings: [] },
          { name: 'Acme Pro', spellings: ['AcmePro'] },
        ],
        [{ name: 'Rival', spellings: [] }],
      ],
    ]);
    expect(brandsIn([])).toEqual([['a', [], []]]);
  });

  it('are those of one account, or a mapping of accounts', () => {
    const jobs = ['name: a, account_id: 1', 'name: b, account_id: 2'];
    expect(brandsIn(['own_brands: { 1: [Acme], 2: [Other] }'], jobs)).toEqual([
      ['a', [{ name: 'Acme', spellings: [] }], []],
      ['b', [{ name: 'Other', spellings: [] }], []],
    ]);
    expect(mistakesIn(file(['rival_brands: [Acme]'], jobs))).toEqual([
      '4:17: defaults.rival_brands: is one list, but applies to the accounts 1, 2; expected one list per account, as in rival_brands: { 1: [...], 2: [...] }',
    ]);
    expect(mistakesIn(file(['own_brands: { 3: [Acme] }']))).toEqual([
      '4:17: defaults.own_brands.3: is not an account of this file; expected 1',
    ]);
  });

  it.each([
    [
      ['own_brands: [Acme]', 'rival_brands: [Rival, ACMÉ]'],
      '5:25: defaults.rival_brands[1]: is ACMÉ, which is also a spelling of our names; expected it once',
    ],
    [
      ['rival_brands: [{ name: Rival, spellings: [Rivale] }, { name: Other, spellings: [x, RIVALE] }]'],
      '4:86: defaults.rival_brands[1].spellings[1]: is RIVALE, which is also a spelling of Rival; expected it once',
    ],
    [
      ['own_brands: ["&&"]'],
      '4:16: defaults.own_brands[0]: is "&&", which has no letter and no digit, so nothing can be found by it; expected a name of up to 100 characters',
    ],
    [
      ['own_brands: ["a\\nb"]'],
      '4:16: defaults.own_brands[0]: is "a\\nb", which has a line break or another control character; expected a name of up to 100 characters',
    ],
    [['own_brands: [{ spellings: [x] }]'], '4:16: defaults.own_brands[0].name: is missing; expected a name of up to 100 characters'],
    [
      ['own_brands: [{ name: x, spelling: [y] }]'],
      '4:27: defaults.own_brands[0].spelling: is not known here; expected one of name, spellings; did you mean spellings?',
    ],
    [
      ['own_brands: Acme'],
      '4:15: defaults.own_brands: is "Acme"; expected a list of names, or a mapping of accounts to such lists; did you mean ["Acme"]?',
    ],
  ])('%s is a mistake', (lines, mistake) => {
    expect(mistakesIn(file(lines))).toEqual([mistake]);
  });

  it('may be the same in several jobs of an account, and in other accounts another side', () => {
    const jobs = [
      'name: a, account_id: 1, own_brands: [Acme]',
      'name: b, dataset: ai_search_brands, account_id: 1, own_brands: [Acme]',
      'name: c, account_id: 2, rival_brands: [Acme]',
    ];
    expect(mistakesIn(file([], jobs))).toEqual([]);
    expect(mistakesIn(file([], [...jobs, 'name: d, dataset: ai_search_fan_out, account_id: 1, rival_brands: [acme]']))).toHaveLength(1);
  });
});
