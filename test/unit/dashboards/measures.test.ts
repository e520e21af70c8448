// The files of measures.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseMeasure, readMeasureFiles, readMeasures, unitsOf } from '../../../src/dashboards/measures.ts';

const SELECT = 'SELECT place AS part, 1 AS whole, NULL AS lacks';
const FILE = `-- Title: Average place
-- Explained: The mean
--   of places.
-- Unit: place
-- Better: lower
-- Of: searches
-- Datasets: keyword_rankings,ai_search_brands,   ai_search_citations
-- Empty: nothing finds us
${SELECT}`;

it('a measure is its header and one SELECT', () => {
  expect(parseMeasure('place', FILE)).toEqual({
    name: 'place',
    title: 'Average place',
    explained: 'The mean of places.',
    unit: 'place',
    better: 'lower',
    of: 'searches',
    datasets: ['keyword_rankings', 'ai_search_brands', 'ai_search_citations'],
    empty: 'nothing finds us',
    sql: SELECT,
  });
  const doubted = `${SELECT},\n  NULL AS doubt`;
  expect(parseMeasure('place', FILE.replace(SELECT, doubted)).sql).toBe(doubted);
});

describe('a mistake names the file and the key', () => {
  it.each(['Title', 'Explained', 'Unit', 'Better', 'Of', 'Datasets', 'Empty'])('%s is missing', (key) => {
    const lacking = FILE.replace('\n--   of places.', '').replace(new RegExp(`^-- ${key}: .*\n`, 'm'), '');
    expect(() => parseMeasure('place', lacking)).toThrow(`dashboards/measures/place.sql:1: ${key}: is missing`);
  });
  it.each<readonly [written: string, wrong: string, mistake: string]>([
    ['Unit: place', 'Unit: places', '4: Unit: expected one of %, place'],
    ['Better: lower', 'Better: low', '5: Better: expected one of higher, lower'],
    ['Of: searches', 'Of: pages', '6: Of: expected one of searches, prompts'],
    ['ai_search_brands', 'brands', '7: Datasets: "brands" is not a dataset'],
    ['-- Title: Average place', '-- Title: ', '1: Title: has no value'],
    ...[
      SELECT.replace('AS part', 'AS parts'),
      SELECT.replace(' AS part, 1 AS whole', ' AS whole, 1 AS part'),
      SELECT.replace(', NULL AS lacks', ''),
      `WITH x AS (${SELECT}) ${SELECT}`,
      `${SELECT}, 1 AS more`,
      `${SELECT} more`,
      `${SELECT},1 AS doubt`,
      `${SELECT}, 1 AS doubt more`,
    ].map(
      (sql) =>
        [SELECT, sql, '9: expected SELECT ... AS part, ... AS whole, ... AS lacks, and maybe ... AS doubt after the header'] as const,
    ),
  ])('%s as %s', (written, wrong, mistake) => {
    expect(() => parseMeasure('place', FILE.replace(written, wrong))).toThrow(`dashboards/measures/place.sql:${mistake}`);
  });
});

it('those of a folder are its .sql files, by name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-measures-'));
  for (const name of ['second.sql', 'first.sql', 'README.md', '.sql.old']) writeFileSync(join(folder, name), FILE);
  expect(readMeasureFiles(folder).map(({ name }) => name)).toEqual(['first', 'second']);
  rmSync(folder, { recursive: true });
});

it('those that come with Searchmill are read once, by name, and say what they are sums over', () => {
  const names = readMeasures().map(({ name }) => name);
  expect(names).toContain('visibility');
  expect(names.every((name) => !name.includes('.'))).toBe(true);
  expect(names).toEqual(names.toSorted());
  expect(readMeasures()).toBe(readMeasures());
  expect([unitsOf('visibility'), unitsOf('mention_rate'), unitsOf('none'), unitsOf(undefined)]).toEqual([
    'searches',
    'prompts',
    'units',
    'units',
  ]);
});
