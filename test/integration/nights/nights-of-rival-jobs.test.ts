// A night of an operator in which two jobs take each other's rows, since the service ignores the filter in which they differ: what status and docs/operations.md
// ("Held weeks") say is enough to end it.
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../support/command-line.ts';
import { ensureBuilt, killPrograms, type Program, startProgram } from '../../support/program.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const JOBS = jobsSince(NEWEST, {
  desktop: 'keyword_rankings, filters: { devices: [DESKTOP] }',
  smartphone: 'keyword_rankings, filters: { devices: [SMARTPHONE] }',
});

let stack: TestStack;
let service: Program;

beforeAll(ensureBuilt);
beforeEach(async () => {
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
  stack.sandbox.setFaults({ rules: [{ fault: { kind: 'ignored_filter', field: 'devices' }, on: { operation: 'keyword_rankings' } }] });
  service = startProgram(['start'], stack.env);
});
afterEach(async () => {
  await killPrograms();
  await stack.close();
});

const status = async (): Promise<string> => (await runCli(['status'], { env: stack.env, width: 400 })).out;
const run = (command: string) => runCli(command.split(' ').slice(1), { env: stack.env });

/** Goes on until status tells of the war. Returns what it says, the job whose week is held, and the other. */
async function waitForWar(): Promise<{ said: string; held: string; other: string }> {
  await until('both to be published', async () => (await stack.read('SELECT FROM searchmill.publications')).length > 1);
  const said = await until('status to tell of the war', async () => {
    await stack.settle();
    const text = await status();
    if (text.includes('the service gives jobs')) return text;
    // What status says meanwhile, which the process also does by itself every five minutes.
    await run(/searchmill run (?:desktop|smartphone)/.exec(text)?.[0] ?? `no run: ${text}`);
    return undefined;
  });
  const [, held = '', other = ''] = /the service gives jobs (\w+) and (\w+) the same/.exec(said) ?? [];
  expect([held, other].toSorted()).toEqual(['desktop', 'smartphone']);
  expect(said).toContain('devices makes no difference');
  expect(stack.sandbox.report().submits.length).toBeLessThanOrEqual(4);
  return { said, held, other };
}

/** As the operator does who removes a job from the file and reloads it. */
async function remove(job: string): Promise<void> {
  const file = String(stack.env.SEARCHMILL_CONFIG);
  const jobs = await readFile(file, 'utf8');
  await writeFile(file, jobs.replace(new RegExp(`.*name: ${job},.*\n`), ''));
  service.send('SIGHUP');
  await until('its removal', async () => (await stack.read('SELECT FROM searchmill.jobs WHERE removed_at IS NOT NULL')).length > 0);
}

/** Nothing needs a person, the week of the job that was kept is there, and no further submit was spent. */
async function expectPeace(kept: string, submits: number): Promise<void> {
  await until('status to be quiet', async () => {
    const text = await status();
    return !/Needs you|the service gives jobs/.test(text);
  });
  expect(await stack.read('SELECT job, state FROM searchmill.coverage WHERE is_expected')).toEqual([{ job: kept, state: 'published' }]);
  const owners = await stack.read('SELECT DISTINCT s.job FROM search.keyword_rankings t JOIN searchmill.slices s ON s.id = t._slice');
  expect(owners).toEqual([{ job: kept }]);
  expect(stack.sandbox.report().submits.length).toBe(submits);
  service.send('SIGTERM');
  expect(await service.ended).toEqual({ code: 0, signal: null });
}

it('two jobs are at war: status names both, the field and the way out; removing the one whose week is held ends it', async () => {
  const { said, held, other } = await waitForWar();
  const submits = stack.sandbox.report().submits.length;
  expect(said).toContain(`keep one: remove ${held} from the file and reload it, which ends this load`);
  await remove(held);
  await expectPeace(other, submits);
});

it('two jobs are at war: removing the other and approving, as status says, ends it as well', async () => {
  const { said, held, other } = await waitForWar();
  const submits = stack.sandbox.report().submits.length;
  expect(said).toContain(`or remove ${other}, reload, then approve`);
  await remove(other);
  expect(await run(/searchmill approve( [\w-]+)+/.exec(said)?.[0] ?? `no approve: ${said}`)).toMatchObject({ code: 0 });
  await stack.settle();
  await expectPeace(held, submits);
});
