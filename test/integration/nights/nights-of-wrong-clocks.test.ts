// Nights of an operator in which the clock of the process's machine is set while a week is loaded. Loads do not mind; status names the machine and what to do,
// and stops telling when that was done.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { HOUR } from '../../../src/core/clock.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { runCli } from '../../support/command-line.ts';
import { ensureBuilt, killPrograms, type Program, startProgram } from '../../support/program.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const SHIFTING = fileURLToPath(new URL('../../machines/shifted-clock.mjs', import.meta.url));
const OUTAGE = { rules: [{ fault: { kind: 'unavailable' }, on: { call: 'poll' } }] } as const;

let stack: TestStack;
let service: Program;
/** On a machine whose clock is right. */
let scheduler: Instance;

beforeAll(ensureBuilt);
beforeEach(async () => {
  const queue = { kind: 'postgres', redisUrl: undefined } as const;
  stack = await createTestStack({ queue, jobs: jobsSince(NEWEST, { rankings: 'keyword_rankings' }), sandbox: { size: 'tiny' } });
  const shift = join(stack.folder, 'shift');
  await writeFile(shift, '0');
  service = startProgram(['start'], { ...stack.env, NODE_OPTIONS: `--import=${SHIFTING}`, CLOCK_SHIFT_FILE: shift });
  await until('the week', async () => (await published()) === 1);
  scheduler = await stack.start({ role: 'scheduler' });
});
afterEach(async () => {
  await killPrograms();
  await stack.close();
});
afterAll(killPrograms);

const published = async (): Promise<number> => (await stack.read('SELECT FROM searchmill.publications')).length;
const status = async (): Promise<string> => (await runCli(['status'], { env: stack.env, width: 400 })).out;

async function setClock(aheadMs: number): Promise<void> {
  await writeFile(join(stack.folder, 'shift'), String(aheadMs));
  service.send('SIGUSR2');
  await service.says(new RegExp(`the clock is ${aheadMs} ms ahead`));
}

it.each([
  ['back', -2 * HOUR, /the clock of \S+ is 2 h behind the database's/, 'weeks end that much later for it, so it plans late'],
  ['forward', 2 * HOUR, /the clock of \S+ is 2 h ahead of the database's/, 'it plans nothing until they agree'],
])(
  'the clock is set %s two hours during a load: the load ends, status says what to correct, and ends when it is',
  async (_, aheadMs, title, why) => {
    stack.sandbox.setFaults(OUTAGE);
    await scheduler.reload('rankings', NEWEST, { name: 'test' });
    const polled = "SELECT FROM searchmill.executions WHERE ended_at IS NULL AND state = 'in_progress' AND errors_in_row > 0";
    await until('a poll in vain', async () => (await stack.read(polled)).length > 0);
    await setClock(aheadMs);
    stack.sandbox.clearFaults();
    await until('the week once more', async () => (await published()) === 2);

    const said = await until('status to tell of the clock', async () => {
      const text = await status();
      return title.test(text) ? text : undefined;
    });
    expect(said).toContain(`process ${service.pid}`);
    expect(said).toContain(why);
    expect(said).toContain('correct it, and synchronise both (NTP)');
    const check = await runCli(['check'], { env: stack.env, width: 400 });
    expect(check.out + check.err).toMatch(/clock/);

    await setClock(0);
    await until('status to be quiet', async () => !title.test(await status()));
    await scheduler.reload('rankings', NEWEST, { name: 'test' });
    await until('the week a third time', async () => (await published()) === 3);
    service.send('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
  },
);
