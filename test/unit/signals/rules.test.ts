// The folder of rules.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { readRules } from '../../../src/signals/rules.ts';

const ruleOf = (order: number | string): string => `-- Title: Rule
-- Question: What?
-- More: more
-- From: rankings
-- Computed: By the test.
-- Datasets: keyword_rankings
-- Order: ${order}
SELECT NULL AS subject WHERE :account::bigint > 0 AND :week::date IS NOT NULL`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'searchmill-rules-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
};

it('rules are its .sql files, by their order and then by name', () => {
  write({
    'd.sql': ruleOf(2),
    'c.sql': ruleOf(1),
    'a.sql': ruleOf(2),
    'b.sql': ruleOf(2).replaceAll('\n', '\r\n'),
    'README.md': 'no rule',
    sql: 'none',
  });
  expect(readRules(folder).map(({ name }) => name)).toEqual(['c', 'a', 'b', 'd']);
});

it('every mistake is told with its file and line', () => {
  write({
    'a.sql': ruleOf('first').replace('Datasets: keyword_rankings', 'Datasets: ranks'),
    'b.sql': ruleOf('second'),
    'c.sql': ruleOf(1),
  });
  const read = () => readRules(folder);
  expect(read).toThrow(ConfigurationError);
  expect(read).toThrow(`the signals cannot be used:
  a.sql:6: Datasets: "ranks" is not a dataset; they are ${DATASETS.map(({ name }) => name).join(', ')}
  a.sql:7: Order: expected a whole number
  b.sql:7: Order: expected a whole number`);
});

it('a rule may lead to a board, or to one of its panels', () => {
  write({ 'a.sql': ruleOf(1), 'b.sql': ruleOf(2).replace('From: rankings', 'From: rankings/visibility') });
  expect(readRules(folder)).toHaveLength(2);
  write({ 'c.sql': ruleOf(3).replace('From: rankings', 'From: rankings/none') });
  expect(() => readRules(folder)).toThrow('c.sql:4: From: "rankings/none" is no board');
});
