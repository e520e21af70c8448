// A warehouse whose jobs overlap, as earlier releases allowed: the program says so and stops, what only reads the ledger works,
// and when one job is left, its rows are those of the table.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastCompleteWeek } from '../../../src/core/weeks.ts';
import { type CommandLineResult, runCli } from '../../support/command-line.ts';
import { createTestStack, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const HEAD = `
${SANDBOX_CONNECTION}
defaults: { account_id: 12345, dataset: keyword_rankings, since: ${NEWEST}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0 }
jobs:
`;
const TOP = '  - { name: top, filters: { max_rank: 4 } }\n';
const DEEP = '  - { name: deep, filters: { min_rank: 3, includeMsv: true } }\n';

describe('a warehouse whose jobs overlap', () => {
  let stack: TestStack;
  /** Runs a verb with these jobs. */
  const searchmill = async (jobs: string, ...args: string[]): Promise<CommandLineResult> => {
    const path = join(stack.folder, 'overlapping.yaml');
    await writeFile(path, HEAD + jobs);
    return runCli(['--config', path, ...args], { env: stack.env });
  };
  const read = (sql: string) => stack.read<Record<string, unknown>>(sql);

  beforeAll(async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: HEAD + TOP, sandbox: { size: 'tiny' } });
  });
  afterAll(() => stack.close());

  it('was loaded by one job after the other: a key of both has the rows of the last job, once and whole', async () => {
    expect(await searchmill(TOP, 'run')).toMatchObject({ code: 0, out: expect.stringContaining('Published 1 window') });
    const [before] = await read('SELECT count(*) AS rows, count(cpc) AS volumes FROM search.keyword_rankings');
    expect(before).toMatchObject({ rows: expect.any(Number), volumes: 0 });
    expect(await searchmill(DEEP, 'run')).toMatchObject({ code: 0, out: expect.stringContaining('Published 1 window') });
    const mixed = await read(
      `SELECT rank_standard >= 3 AS "isDeep", cpc IS NULL AS "isWithout", s.job, count(*) > 0 AS "hasRows", max(_occurrence) AS most
         FROM search.keyword_rankings t JOIN searchmill.slices s ON s.id = t._slice GROUP BY 1, 2, 3 ORDER BY 1`,
    );
    expect(mixed).toEqual([
      { isDeep: false, isWithout: true, job: 'top', hasRows: true, most: 1 },
      { isDeep: true, isWithout: false, job: 'deep', hasRows: true, most: 1 },
    ]);
  });

  it('is refused by check, run and start, which say which jobs, why, and what to do', async () => {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'shrink', keep: 0.1 }, on: { operation: 'keyword_rankings' } }] });
    expect(await searchmill(DEEP, 'run', '--week', NEWEST, '--reload')).toMatchObject({ code: 1, out: expect.stringContaining('is held') });
    for (const verb of ['check', 'run', 'start']) {
      const { code, out, err } = await searchmill(TOP + DEEP, verb);
      expect({ verb, code, out }).toEqual({ verb, code: 2, out: '' });
      expect(err).toMatch(/overlapping\.yaml:7:5: jobs\[1\]: the job "deep" may load the same rows as "top" on line 6/);
      expect(err).toContain('here with min_rank 3, includeMsv true, there with max_rank 4; expected one job for both, or');
      expect(err).not.toMatch(/\bat .*\.js:/);
    }
  });

  it('can still be inspected, and its held weeks decided', async () => {
    expect(await searchmill(TOP + DEEP, 'status')).toMatchObject({ code: 0, out: expect.stringContaining('top: 1 week missing') });
    expect(await searchmill(TOP + DEEP, 'history', 'top')).toMatchObject({ code: 0, err: '' });
    const [held] = await read(`SELECT slice_id AS slice FROM searchmill.executions WHERE state = 'held'`);
    expect(await searchmill(TOP + DEEP, 'approve', String(held?.slice))).toMatchObject({ code: 0, err: '' });
  });

  it('loads again when its jobs have become one', async () => {
    stack.sandbox.clearFaults();
    expect(await searchmill(DEEP, 'run')).toMatchObject({ code: 0, out: expect.stringContaining('Published 1 window') });
    expect(await searchmill(DEEP.replace('min_rank: 3, ', ''), 'run', '--reload', '--week', NEWEST)).toMatchObject({ code: 0 });
    const owners = await read(
      `SELECT s.job, count(*) - count(cpc) AS without FROM search.keyword_rankings t JOIN searchmill.slices s ON s.id = t._slice GROUP BY 1`,
    );
    expect(owners).toEqual([{ job: 'deep', without: 0 }]);
  });
});
