// Rows that are not as asked for, through the program: one that does not decode, one for several weeks, and rows that were
// collected again.
import { expect, it } from 'vitest';
import { addDays } from '../../../src/core/weeks.ts';
import { type CommandLineResult, runCli } from '../../support/command-line.ts';
import { useStack } from '../../support/use-stack.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const WINDOW_END = addDays(NEWEST, 6);
const EARLIER = addDays(NEWEST, -28);

// Its schedule fires when a week is over, so that the newest complete week is expected on whatever day the test runs.
const JOBS = jobsSince(NEWEST, { rankings: 'keyword_rankings', brands: 'ai_search_brands' }, 'weeks_per_query: 4');

const stack = useStack({ jobs: JOBS, sandbox: { size: 'tiny' } });

const cli = (args: string): Promise<CommandLineResult> => runCli(args.split(' '), { env: stack.env });
/** The last load of a job as history has it. */
const lastLoad = async (job: string): Promise<unknown> => (JSON.parse((await cli(`history ${job} --json`)).out) as unknown[])[0];

it('publishes a small week without a row that does not decode, and says so in the end and in status', async () => {
  stack.sandbox.setFaults({
    rules: [{ fault: { kind: 'bad_value', value: 'not_a_number', rows: 1 }, on: { operation: 'keyword_rankings' } }],
  });
  const { code, out } = await cli('run rankings');
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('Published 1 window with') });
  expect(out).toMatch(
    new RegExp(
      `\\nrankings ${NEWEST}\\.\\.${WINDOW_END} is published without 1 row of \\d+ that did not decode; see "searchmill quarantine list rankings"\\n$`,
    ),
  );
  const status = (await cli('status')).out;
  expect(status).toContain('1 row of 1 published load did not decode and is in quarantine');
  expect(status).toContain('searchmill quarantine list rankings');
  expect((await cli('quarantine list rankings')).out).toContain(`${NEWEST}..${WINDOW_END}`);
  const [load] = await stack.read<{ id: number }>('SELECT execution_id AS id FROM searchmill.quarantined_rows');
  const shown = (await cli(`quarantine show ${load?.id}`)).out;
  expect(shown).toMatch(/^page +row +column +value +reason +begins with\n/);
  expect(shown).toMatch(/is not an? /);
  expect(shown).toContain(`"searchmill quarantine show ${load?.id} --json" has whole rows.`);
});

it('updates rows that were collected again, and neither inserts nor deletes any', async () => {
  stack.sandbox.setFaults({ rules: [] });
  expect(await cli(`run --week ${NEWEST} --reload`)).toMatchObject({ code: 0 });
  for (const [job, operation, column] of [
    ['rankings', 'keyword_rankings', 'collection_date'],
    ['brands', 'ai_search_brands', 'intent'],
  ] as const) {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'restate', share: 1, columns: [column] }, on: { operation } }] });
    expect(await cli(`run ${job} --week ${NEWEST} --reload`)).toMatchObject({ code: 0 });
    expect(await lastLoad(job)).toMatchObject({ inserted: 0, deleted: 0 });
    expect(await lastLoad(job)).not.toMatchObject({ updated: 0 });
  }
});

it('holds an answer with one row for four weeks, since it has no row for a single week', async () => {
  stack.sandbox.setFaults({ rules: [{ fault: { kind: 'whole_period' }, on: { operation: 'keyword_rankings' } }] });
  const { code, out } = await cli(`backfill rankings --from ${EARLIER} --to ${addDays(NEWEST, -1)}`);
  const window = `${EARLIER}..${addDays(NEWEST, -1)}`;
  expect(code).toBe(1);
  expect(out).toMatch(
    new RegExp(`rankings ${window} is held: the period of (\\d+) of \\1 rows is not one week of ${window}, such as ${window}`),
  );
  expect(await stack.read('SELECT FROM search.keyword_rankings WHERE time_period_start < $1', [NEWEST])).toEqual([]);
});

it('tells held weeks again when they are asked for again, instead of counting them as loaded', async () => {
  const { code, out } = await cli(`backfill rankings --from ${EARLIER} --to ${addDays(NEWEST, -1)}`);
  expect({ code, out }).toMatchObject({ code: 1, out: expect.stringMatching(/^Published 0 windows .*\n.* is held: /) });
});
