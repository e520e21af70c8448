// Rows that somebody removes by hand from a warehouse that a service keeps: verify and the service notice, and what they advise mends it.
import { expect, it } from 'vitest';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { type CommandLineResult, runCli } from '../../support/command-line.ts';
import { sandboxJobs } from '../../support/test-stack.ts';
import { useStack } from '../../support/use-stack.ts';
import { until } from '../../support/wait.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const BEFORE = addDays(NEWEST, -7);
const JOBS = sandboxJobs(`account_id: 12345, since: ${addDays(NEWEST, -14)}, lookback_weeks: 0`, {
  rankings: 'keyword_rankings',
  brands: 'ai_search_brands',
});

const stack = useStack({ jobs: JOBS, sandbox: { size: 'tiny' } });

const cli = (args: string): Promise<CommandLineResult> => runCli(args.split(' '), { env: stack.env });

it('TRUNCATE and DELETE are named week by week with exit code 1, and the command that is printed mends them', async () => {
  expect(await cli('run')).toMatchObject({ code: 0 });
  expect(await cli('verify')).toMatchObject({ code: 0, out: 'The tables have as many rows as 6 published weeks of jobs should have.\n' });
  expect(await cli('verify rankings --deep')).toMatchObject({
    code: 0,
    out: 'The tables have what 3 published weeks of jobs should have.\n',
  });
  await stack.pool.query('TRUNCATE search.keyword_rankings');
  await stack.pool.query(
    `DELETE FROM search.ai_search_brands WHERE ctid IN (SELECT ctid FROM search.ai_search_brands WHERE time_period_start = $1 LIMIT 1)`,
    [BEFORE],
  );
  const { code, out } = await cli('verify');
  expect(code).toBe(1);
  expect(out).toContain('4 weeks of 6 differ. These commands repair them:');
  const lines = [...out.matchAll(/^ *(brands|rankings) +search\.\S+ +(\S+)/gm)].map(([, job, week]) => `${job} ${week}`);
  expect(lines).toEqual([`brands ${BEFORE}`, ...[-14, -7, 0].map((days) => `rankings ${addDays(NEWEST, days)}`)]);
  const commands = [...out.matchAll(/^ {2}searchmill (backfill .*)$/gm)].map(([, command = '']) => command);
  expect(commands).toEqual([
    `backfill brands --from ${BEFORE} --to ${BEFORE} --reload`,
    `backfill rankings --from ${addDays(NEWEST, -14)} --to ${NEWEST} --reload`,
  ]);
  expect((await cli(`verify rankings --from ${NEWEST} --json`)).code).toBe(1);
  const { weeks, differences } = JSON.parse((await cli(`verify rankings --from ${NEWEST} --json`)).out) as {
    weeks: number;
    differences: unknown[];
  };
  expect(weeks).toBe(1);
  expect(differences).toMatchObject([{ job: 'rankings', dataset: 'keyword_rankings', week: NEWEST, found: 0, isAltered: false }]);
  expect(await cli('verify nothing')).toMatchObject({ code: 2 });
  for (const command of commands) expect(await cli(command)).toMatchObject({ code: 0 });
  expect(await cli('verify --deep')).toMatchObject({ code: 0 });
});

it('a service notices by itself, and status says what to do until it is done', async () => {
  await stack.pool.query('TRUNCATE search.keyword_rankings');
  await stack.pool.query(`UPDATE searchmill.published_periods SET checked_at = checked_at - interval '1 day'`);
  const service = await stack.start();
  const problems = async () => {
    const { out } = await cli('status --json');
    return (JSON.parse(out) as { problems: { kind: string; job: string; title: string; commands: string[] }[] }).problems.filter(
      ({ kind }) => kind === 'rows-differ',
    );
  };
  // It counts one week after another.
  const [problem] = await until('the problem', async () => {
    const found = await problems();
    return found.some(({ title }) => title.includes('in 3 weeks')) && found;
  });
  expect(problem).toMatchObject({ job: 'rankings' });
  const mend = problem?.commands.find((command) => command.includes('--reload')) ?? '';
  expect(await cli(mend.replace('searchmill ', ''))).toMatchObject({ code: 0 });
  expect(await problems()).toEqual([]);
  await service.stop();
});
