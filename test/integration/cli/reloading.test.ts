// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people write them
// SIGHUP: the built program reads its configuration again and goes on with it, wholly or not at all.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { compareText } from '../../../src/core/compare-text.ts';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { ensureBuilt, killPrograms, type Program, startProgram } from '../../support/program.ts';
import { createTestStack, describeOnOneQueue, STACK_TOKEN, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { WEBHOOK_SECRET } from '../../support/webhook-receiver.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const WRONG = 'a-token-that-is-refused';
const file = (...jobs: string[]): string => `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: "\${TOKEN}" }, limits: hard }
defaults: { account_id: 12345, since: ${addDays(NEWEST, -7)}, schedule: { cron: "0 0 * * 0", timezone: UTC } }
jobs:
${jobs.map((job) => `  - ${job}\n`).join('')}`;
const RANKINGS = '{ name: rankings, dataset: keyword_rankings }';
const BRANDS = '{ name: brands, dataset: ai_search_brands }';
const CITATIONS = '{ name: citations, dataset: ai_search_citations }';

let stack: TestStack;
let tokenFile: string;
beforeAll(ensureBuilt);
afterEach(() => stack.close());
afterAll(killPrograms);

const write = (text: string): Promise<void> => writeFile(stack.env.SEARCHMILL_CONFIG as string, text);
const linesOf = (program: Program): Record<string, unknown>[] =>
  program.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const published = async (): Promise<string[]> =>
  (await stack.read<{ job: string }>(`SELECT DISTINCT job FROM searchmill.coverage WHERE state = 'published' ORDER BY job`)).map(
    ({ job }) => job,
  );
const schedulers = (): Promise<string[]> =>
  stack.withQueue('ticks', async (queue) => (await queue.getJobSchedulers(0, -1, true)).map(({ key }) => key).toSorted(compareText));

describeOnOneQueue('a service that is told to read its configuration again', (queue) => {
  it('loads a new job, plans no removed one, keeps all when there is a mistake, and calls with a new credential', async () => {
    stack = await createTestStack({ queue, jobs: file(RANKINGS, BRANDS).replace('${TOKEN}', STACK_TOKEN), sandbox: { size: 'tiny' } });
    tokenFile = join(stack.folder, 'token');
    await writeFile(tokenFile, STACK_TOKEN);
    await write(file(RANKINGS, BRANDS));
    const service = startProgram(['start'], { ...stack.env, TOKEN_FILE: tokenFile });
    const told = async (msg: string, times = 1) =>
      until(`${times} x "${msg}"`, () => {
        const lines = linesOf(service).filter((line) => line.msg === msg);
        return lines.length >= times && lines.at(-1);
      });
    await until('both jobs', async () => (await published()).join() === 'brands,rankings');

    await write(file(RANKINGS, CITATIONS));
    service.send('SIGHUP');
    expect(await told('configuration reloaded')).toMatchObject({ changes: ['job brands removed', 'job citations added'] });
    await until('the new job', async () => (await published()).includes('citations'));
    await until('the schedules', async () => (await schedulers()).join() === 'job-citations,job-rankings');
    expect(await stack.read('SELECT name FROM searchmill.jobs WHERE removed_at IS NOT NULL')).toEqual([{ name: 'brands' }]);

    await write(file(RANKINGS, CITATIONS, BRANDS).replace('ai_search_brands', 'ai_search_brand'));
    service.send('SIGHUP');
    const { err } = await told('the configuration could not be reloaded; the previous one stays');
    expect(err).toMatch(/jobs\.config\.yaml:8:\d+: jobs\[2\]\.dataset: is "ai_search_brand"/);
    service.send('SIGHUP');
    await told('the configuration could not be reloaded; the previous one stays', 2);
    expect(await stack.read('SELECT jobs FROM searchmill.instances')).toEqual([{ jobs: ['rankings', 'citations'] }]);
    const refusal = async (): Promise<string | undefined> => {
      const asked = startProgram(['status', '--json'], stack.env);
      await asked.ended;
      const { problems } = JSON.parse(asked.stdout) as { problems: { kind: string; why: string[] }[] };
      return problems.find(({ kind }) => kind === 'reload-refused')?.why.join();
    };
    await until('the refusal in the status', async () => (await refusal())?.includes('is "ai_search_brand"'));

    await write(file(RANKINGS, CITATIONS));
    service.send('SIGHUP');
    await told('configuration reloaded: nothing has changed');
    await until('its end', async () => (await refusal()) === undefined);

    await writeFile(tokenFile, WRONG);
    await write(file(RANKINGS, CITATIONS, BRANDS.replace('ai_search_brands', 'ai_search_fan_out').replace('brands', 'fan-out')));
    service.send('SIGHUP');
    expect(await told('configuration reloaded', 2)).toMatchObject({
      changes: ['connection main changed (auth)', 'job fan-out added'],
    });
    await until(
      'a refused call',
      async () => (await stack.read('SELECT id FROM searchmill.budgets WHERE unauthorized_since IS NOT NULL')).length > 0,
    );
    await writeFile(tokenFile, STACK_TOKEN);
    service.send('SIGHUP');
    expect(await told('configuration reloaded', 3)).toMatchObject({ changes: ['connection main changed (auth)'] });
    await until('the job that waited for it', async () => (await published()).includes('fan-out'));

    service.send('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    for (const secret of [STACK_TOKEN, WRONG]) expect(service.stdout + service.stderr).not.toContain(secret);
    expect(service.stderr).toBe('');
  });
});

describe('a service that reads a file of nearly a megabyte again', () => {
  it('goes on answering meanwhile', async () => {
    const queue = { kind: 'postgres', redisUrl: undefined } as const;
    stack = await createTestStack({ queue, jobs: file(RANKINGS).replace('${TOKEN}', STACK_TOKEN), sandbox: { size: 'tiny' } });
    const service = startProgram(['start'], stack.env);
    await service.says(/dashboards, health and metrics/);
    const url = /"url":"(http:[^"]+)"/.exec(service.stdout)?.[1] ?? '';
    const sites = Array.from({ length: 20_000 }, (_, number) => `  site-${number}: "https://site-${number}.example.com/"\n`).join('');
    await write(`${file(RANKINGS).replace('${TOKEN}', STACK_TOKEN)}x-sites:\n${sites}`);
    const isDone = (): boolean => service.stdout.includes('configuration reloaded: nothing has changed');
    service.send('SIGHUP');
    let answers = 0;
    for (; !isDone(); answers += 1) await (await fetch(`${url}/healthz`)).text();
    // With the file read in the same thread it was 1 or 2.
    expect(answers).toBeGreaterThan(10);
    service.send('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
  });
});

describe('a service that is stopped while it reads its configuration again', () => {
  it('ends in an orderly way, with the notifications of both configurations, whatever SIGHUP follows', async () => {
    const queue = { kind: 'postgres', redisUrl: undefined } as const;
    stack = await createTestStack({ queue, jobs: file(RANKINGS).replace('${TOKEN}', STACK_TOKEN), sandbox: { size: 'tiny' } });
    const notify = 'notify: { targets: { ops: { webhook: "${HOOK}", secret: "${HOOK_SECRET}" } } }';
    await write(file(RANKINGS) + notify);
    const variables = { TOKEN: STACK_TOKEN, HOOK: stack.sandbox.url, HOOK_SECRET: WEBHOOK_SECRET };
    const service = startProgram(['start'], { ...stack.env, ...variables });
    await until('the job', async () => (await published()).join() === 'rankings');

    const blocker = await stack.pool.connect();
    await blocker.query('BEGIN; SELECT FROM searchmill.connections FOR UPDATE');
    await write(file(RANKINGS, BRANDS) + notify);
    service.send('SIGHUP');
    await until('a reload that waits', async () => {
      const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      return (await stack.read(waiting)).length > 0;
    });
    service.send('SIGTERM');
    await service.says(/"msg":"stopping: finishing the page at hand"/);
    service.send('SIGHUP');
    await service.says(/"msg":"stopped"/);
    await blocker.query('ROLLBACK');
    blocker.release();
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(service.stderr).toBe('');
  });
});
