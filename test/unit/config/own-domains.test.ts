// own_domains and competitors: each account has its own.
import { describe, expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { defaultsFile, mistakesIn } from './jobs-file.ts';

const file = (defaults: readonly string[], jobs: readonly string[]): string =>
  defaultsFile(
    defaults,
    jobs.map((job) => `dataset: keyword_rankings, ${job}`),
  );

const ONE = 'name: a, account_id: 1';
const TWO = 'name: b, account_id: 2';

function domainsIn(defaults: readonly string[], jobs: readonly string[]): Record<string, readonly string[]> {
  const { config } = parseJobsConfig('jobs.yaml', file(defaults, jobs), {});
  return Object.fromEntries(config.jobs.map(({ name, ownDomains }) => [name, ownDomains]));
}

describe('own_domains', () => {
  it('of defaults may be a list where there is one account', () => {
    expect(domainsIn(['own_domains: [www.Acme.com]'], [ONE])).toEqual({ a: ['acme.com'] });
  });

  it('of defaults are a mapping where there are several: each account has its own, and one that is not named has none', () => {
    const defaults = ['own_domains: { 1: [acme.com], 2: [other.org] }'];
    expect(domainsIn(defaults, [ONE, TWO, 'name: c, account_id: 3'])).toEqual({ a: ['acme.com'], b: ['other.org'], c: [] });
    expect(domainsIn(defaults, ['name: d, account_ids: [1, 2]'])).toEqual({ 'd-1': ['acme.com'], 'd-2': ['other.org'] });
  });

  it.each([
    ['of two jobs', [ONE, TWO]],
    ['of one entry', ['name: a, account_ids: [1, 2]']],
  ])('of defaults as one list for the accounts %s are a mistake that says what to write', (_, jobs) => {
    expect(mistakesIn(file(['own_domains: [acme.com]'], jobs))).toEqual([
      '4:16: defaults.own_domains: is one list, but applies to the accounts 1, 2; expected one list per account, as in own_domains: { 1: [...], 2: [...] }',
    ]);
  });

  it('of an entry that stands for several accounts are a mapping, too', () => {
    expect(mistakesIn(file([], ['name: a, account_ids: [1, 2], own_domains: [acme.com]']))).toEqual([
      '5:77: jobs[0].own_domains: is one list, but applies to the accounts 1, 2; expected one list per account, as in own_domains: { 1: [...], 2: [...] }',
    ]);
    expect(domainsIn([], ['name: a, account_ids: [1, 2], own_domains: { 2: [acme.com] }'])).toEqual({ 'a-1': [], 'a-2': ['acme.com'] });
  });

  it('of a job count in place of those of defaults, so that a list may stand there for the one account left', () => {
    expect(domainsIn(['own_domains: [acme.com]'], [ONE, `${TWO}, own_domains: [other.org]`])).toEqual({
      a: ['acme.com'],
      b: ['other.org'],
    });
  });

  it('may be an empty list, which leaves them to the citations', () => {
    expect(domainsIn(['own_domains: []'], [ONE, TWO])).toEqual({ a: [], b: [] });
    expect(domainsIn(['own_domains: [acme.com]'], [`${ONE}, own_domains: []`])).toEqual({ a: [] });
    expect(domainsIn(['own_domains: { 1: [] }'], [ONE])).toEqual({ a: [] });
  });

  it('name accounts that jobs load', () => {
    expect(mistakesIn(file(['own_domains: { 1: [acme.com], 12: [other.org] }'], [ONE, TWO]))).toEqual([
      '4:33: defaults.own_domains.12: is not an account of this file; expected 1, 2',
    ]);
  });

  it.each([
    [
      'own_domains: acme.com',
      '4:16: defaults.own_domains: is "acme.com"; expected a list of domains such as example.com, or a mapping of accounts to such lists; did you mean ["acme.com"]?',
    ],
    [
      'own_domains: ["https://acme.com"]',
      '4:17: defaults.own_domains[0]: is "https://acme.com"; expected a domain such as example.com; did you mean acme.com?',
    ],
    [
      'own_domains: { 1: acme.com }',
      '4:21: defaults.own_domains.1: is "acme.com"; expected a list of domains such as example.com; did you mean ["acme.com"]?',
    ],
  ])('%s is a mistake', (line, mistake) => {
    expect(mistakesIn(file([line], [ONE]))).toEqual([mistake]);
  });
});
