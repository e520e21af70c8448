// What looks wrong in the configuration without being a mistake, through the program: every verb that acts on the jobs says it.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lastCompleteWeek } from '../../../src/core/weeks.ts';
import { runProgram, startProgram } from '../../support/program.ts';
import { useStack } from '../../support/use-stack.ts';

const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token } }
jobs:
  - name: brands
    dataset: ai_search_brands
    account_id: 12345
    since: ${lastCompleteWeek(new Date(), 'UTC', 'sunday')}
    filters: { ai_search_engines: [ChatGPT] }
`;
const WARNING =
  ':9:36: jobs[0].filters.ai_search_engines[0]: is "ChatGPT"; it is sent unchanged and may return 0 rows; did you mean "chatgpt"?';

const stack = useStack({ jobs: JOBS, sandbox: { size: 'tiny' }, startsPrograms: true });

it.each(['check', 'run'])('%s warns on standard error, and does its work', async (verb) => {
  const { code, stderr } = await runProgram([verb], stack.env);
  const [first] = stderr.split('\n');
  expect({ code, first }).toEqual({ code: 0, first: `warning: ${join(stack.folder, 'jobs.config.yaml')}${WARNING}` });
});

it('start warns in its log', async () => {
  const program = startProgram(['start'], { ...stack.env, OPS_PORT: '0' });
  await program.says(/"msg":"warning: .*ai_search_engines/);
  program.send('SIGTERM');
  await program.ended;
  const lines = program.stdout.split('\n').filter((line) => line.includes('ai_search_engines'));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', msg: `warning: ${join(stack.folder, 'jobs.config.yaml')}${WARNING}` }),
  ]);
});
