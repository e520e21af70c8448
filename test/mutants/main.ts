// npm run test:mutants: changes one expression after another in the files of mutated-files.ts, and runs the unit tests that reach it. A change that no test
// notices is a survivor: a test is missing, or the change makes no difference and explained.json says why.
// Arguments: files, or parts of their names; default: all. Exit code 1: the score is below 90 %.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { count } from '../../src/core/numbers.ts';
import { isExplained, readExplained, type Survivor } from './explained.ts';
import { MUTATED } from './mutated-files.ts';

/** Of a hundred mutants, those that a test must notice. */
const LEAST_SCORE = 90;
const UNNOTICED: readonly string[] = ['Survived', 'NoCoverage'];
const NOTICED: readonly string[] = ['Killed', 'Timeout'];

const wanted = process.argv.slice(2);
const mutate = MUTATED.filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
if (mutate.length === 0) throw new Error(`none of these is mutated: ${wanted.join(', ')}`);
const folder = mkdtempSync(join(tmpdir(), 'searchmill-mutants-'));
const results = await new Stryker({
  mutate,
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/vitest.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner'],
  // Texts are held by tests of their own; the words of a type that become others are refused by the compiler, which does not run here.
  mutator: { excludedMutations: ['StringLiteral'] },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // Results of files and tests that have not changed are taken from the last run.
  incremental: wanted.length === 0,
  incrementalFile: 'node_modules/.cache/searchmill/mutants.json',
  tempDirName: folder,
  ignorePatterns: ['.ci', 'dist', 'coverage'],
  // Otherwise Stryker reads it by functions of the compiler that TypeScript 7 does not have.
  tsconfigFile: 'none.json',
  reporters: ['progress-append-only'],
  allowConsoleColors: false,
}).runMutationTest();
rmSync(folder, { recursive: true, force: true });

const explained = readExplained();
const scores = mutate.map((file) => {
  const own = results.filter(({ fileName }) => fileName.endsWith(file));
  const killed = own.filter(({ status }) => NOTICED.includes(status)).length;
  return { file, killed, all: killed + own.filter(({ status }) => UNNOTICED.includes(status)).length };
});
const sum = (of: (score: (typeof scores)[number]) => number): number => scores.reduce((total, score) => total + of(score), 0);
const [killed, all] = [sum((score) => score.killed), sum((score) => score.all)];
for (const score of scores) console.log(`${score.file}: ${score.killed} of ${score.all}`);
const score = (100 * killed) / all;
console.log(`noticed: ${killed} of ${count(all, 'mutant')}, ${score.toFixed(1)} %`);

const survivors = results.flatMap(({ fileName, mutatorName, replacement, location, status }): Survivor[] => {
  if (!UNNOTICED.includes(status)) return [];
  const file = mutate.find((each) => fileName.endsWith(each)) ?? fileName;
  return [{ file, mutator: mutatorName, replacement: replacement ?? '', location }];
});
const unexplained = survivors.filter((survivor) => !isExplained(explained, survivor));
for (const { file, mutator, replacement, location } of unexplained)
  console.log(`${file}:${location.start.line}:${location.start.column + 1} ${mutator}: ${replacement.replaceAll(/\s+/g, ' ')}`);
console.log(`${count(unexplained.length, 'survivor')} not explained`);
process.exitCode = score < LEAST_SCORE ? 1 : 0;
