// Nights of an operator in which the process, its database or its file are what goes wrong: what status says is enough to end each.
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../support/command-line.ts';
import { createLogin, type Login, whileClosed } from '../../support/database-access.ts';
import { ensureBuilt, killPrograms, type Program, startProgram } from '../../support/program.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();

let stack: TestStack;
let login: Login;
let service: Program;
/** Of the login of the service. */
let env: Record<string, string>;

beforeAll(ensureBuilt);
beforeEach(async () => {
  const queue = { kind: 'postgres', redisUrl: undefined } as const;
  stack = await createTestStack({ queue, jobs: jobsSince(NEWEST, { rankings: 'keyword_rankings' }), sandbox: { size: 'tiny' } });
  login = await createLogin(stack.pool, stack.databaseUrl, 'searchmill_writer');
  env = { ...stack.env, DATABASE_URL: login.url };
  service = startProgram(['start'], env);
  await until('the week', async () => (await published()) === 1);
});
afterEach(async () => {
  await killPrograms();
  await login.drop();
  await stack.close();
});
afterAll(killPrograms);

const published = async (): Promise<number> => (await stack.read('SELECT FROM searchmill.publications')).length;
/** What a command says to the login of the service, on both streams. */
async function say(...words: string[]): Promise<string> {
  const { out, err } = await runCli(words, { env, width: 400 });
  return out + err;
}
/** Has the newest week loaded once more, and ends when it is. */
const reload = async (): Promise<unknown> =>
  runCli(['backfill', 'rankings', '--from', NEWEST, '--to', NEWEST, '--reload', '--yes'], { env });

it('the rights of the login are revoked: check has the statement that gives them back, and loads go on by themselves', async () => {
  await stack.pool.query(`REVOKE searchmill_writer FROM ${login.name}`);
  expect(await say('status')).toMatch(/permission|may not|lacks/);
  expect(await say('check')).toContain('GRANT searchmill_writer');
  await stack.pool.query(`GRANT searchmill_writer TO ${login.name}`);
  expect(await reload()).toMatchObject({ code: 0 });
  expect(await say('status')).not.toMatch(/permission|may not|lacks/);
  service.send('SIGTERM');
  expect(await service.ended).toEqual({ code: 0, signal: null });
});

it('the database is lost for a while: every command says so in one line, the process stays, and goes on when it is back', async () => {
  await whileClosed(stack.databaseUrl, async (open) => {
    for (const command of ['status', 'check']) expect(await say(command)).toMatch(/database/);
    expect(service.stdout + service.stderr).not.toContain('test@');
    await open();
  });
  expect(await reload()).toMatchObject({ code: 0 });
  expect(await published()).toBe(2);
  service.send('SIGTERM');
  expect(await service.ended).toEqual({ code: 0, signal: null });
});

it('a reload is refused: status says where the mistake is and that the old file stays, until a reload succeeds', async () => {
  const file = String(env.SEARCHMILL_CONFIG);
  const good = await readFile(file, 'utf8');
  await writeFile(file, good.replace('keyword_rankings', 'keyword_ranking'));
  service.send('SIGHUP');
  await service.says(/"level":"(?:warn|error)".*keyword_ranking/);
  // The command itself reads a good file, as an operator on another machine does.
  await writeFile(file, good);
  const said = await until('status to tell', async () => {
    const text = await say('status');
    return text.includes('keyword_rankings?') || text.includes('did you mean') ? text : undefined;
  });
  expect(said).toMatch(/:\d+:\d+/);
  service.send('SIGHUP');
  await until('no problem', async () => !(await say('status')).includes('refused'));
});
