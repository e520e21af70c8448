// pages: below which path they are served.
import { expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { completeJobFile, mistakesIn } from './jobs-file.ts';

const load = (more: string) => parseJobsConfig('jobs.yaml', `${completeJobFile()}${more}\n`, {});

it.each([
  ['', ''],
  ['pages: {}', ''],
  ['pages: { base_path: /searchmill }', '/searchmill'],
  ['pages: { base_path: /tools/searchmill/ }', '/tools/searchmill'],
])('%j serves the pages below %j', (written, basePath) => {
  expect(load(written).config.pages).toEqual({ basePath });
});

it.each([
  ['searchmill', 'is not a path of letters, digits and . _ ~ - that begins with /'],
  ['/', 'is not a path of letters, digits and . _ ~ - that begins with /'],
  ['/a//b', 'is not a path of letters, digits and . _ ~ - that begins with /'],
  ['"/a?b"', 'is not a path of letters, digits and . _ ~ - that begins with /'],
  ['https://example.com/a', 'is not a path of letters, digits and . _ ~ - that begins with /'],
  ['/a/../b', 'has a part of dots alone'],
  ['/boards', 'begins with /boards, which is an address of Searchmill itself'],
  ['/metrics/search', 'begins with /metrics, which is an address of Searchmill itself'],
])('refuses the path %s', (path, mistake) => {
  const [told = '', ...others] = mistakesIn(`${completeJobFile()}pages: { base_path: ${path} }\n`);
  expect(others).toEqual([]);
  expect(told).toContain(mistake);
  expect(told).toContain('expected a path such as /searchmill');
});

const notify = (pages: string): string =>
  `notify: { pages: "${pages}", targets: { ops: { slack: "\${HOOK}" } } }\npages: { base_path: /searchmill }`;
const warningsOf = (pages: string) =>
  parseJobsConfig('jobs.yaml', `${completeJobFile()}${notify(pages)}\n`, { HOOK: 'https://hooks.example.com/x' }).warnings;

it('warns when links in messages have another path than the pages', () => {
  expect(warningsOf('https://intranet.example.com/searchmill/')).toEqual([]);
  expect(warningsOf('https://search.example.com')).toEqual([]);
  expect(warningsOf('https://intranet.example.com/search')).toEqual([
    expect.stringMatching(/^jobs\.yaml:8:\d+: notify\.pages: has the path \/search, .*write pages: \{ base_path: \/search \}$/),
  ]);
});
