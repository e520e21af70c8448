// Notifications by the built program: over the death of a process, and without a trace of addresses and keys.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hold } from '../../../src/warehouse/executions.ts';
import { runCli } from '../../support/command-line.ts';
import { jobOf, stageWindow } from '../../support/ledger.ts';
import { ensureBuilt, killPrograms, runProgram, startProgram } from '../../support/program.ts';
import { createTestStack, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { startWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const JOBS = `
${SANDBOX_CONNECTION}
jobs:
  - { name: rankings, dataset: keyword_rankings, account_id: 12345, since: 2026-09-06, schedule: { cron: "0 0 1 1 *", timezone: UTC } }
`;
const TARGETS = `
notify:
  targets:
    hook: { webhook: "\${HOOK}", secret: "\${KEY}" }
    channel: { slack: "\${CHANNEL}" }
`;

let stack: TestStack;
let receiver: WebhookReceiver;
let slack: WebhookReceiver;
let env: Record<string, string>;
let written = '';

beforeAll(async () => {
  await ensureBuilt();
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
  [receiver, slack] = [await startWebhookReceiver(), await startWebhookReceiver()];
  slack.answer = (response) => response.end('ok');
  const path = join(stack.folder, 'notify.yaml');
  await writeFile(path, JOBS + TARGETS);
  const own = { SEARCHMILL_CONFIG: path, HOOK: receiver.url, CHANNEL: slack.url, KEY: WEBHOOK_SECRET, LOG_LEVEL: 'trace', OPS_PORT: '0' };
  env = { ...stack.env, ...own };
});
afterAll(async () => {
  await killPrograms();
  await Promise.all([receiver.close(), slack.close()]);
  await stack.close();
});

it('a test message says what each target answers', async () => {
  const { code, out, err } = await runCli(['notify', '--test'], { env });
  written += out + err;
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/hook +yes +200\n/);
  expect(out).toMatch(/channel +yes +200 ok\n/);
  expect(receiver.accepted.map(({ type }) => type)).toEqual(['test']);
  expect(JSON.parse(slack.requests[0]?.body ?? '')).toEqual({ text: 'A test of Searchmill: problems will be told here.' });

  slack.answer = (response) => response.writeHead(404).end('no_service');
  const failed = await runCli(['notify', '--test', '--json'], { env });
  written += failed.out + failed.err;
  expect([failed.code, JSON.parse(failed.out)]).toEqual([
    1,
    {
      targets: [
        { target: 'hook', isDelivered: true, answer: '200' },
        { target: 'channel', isDelivered: false, answer: '404 no_service' },
      ],
    },
  ]);
  slack.answer = (response) => response.end('ok');
});

it('a receiver that never answers is given up after 10 s, whatever garbage is collected meanwhile', async () => {
  const collecting = join(stack.folder, 'collecting.cjs');
  await writeFile(
    collecting,
    "require('node:v8').setFlagsFromString('--expose-gc'); setInterval(require('node:vm').runInNewContext('gc'), 20).unref();",
  );
  receiver.answer = () => undefined;
  const { code, stdout } = await runProgram(['notify', '--test'], { ...env, NODE_OPTIONS: `--require ${collecting}` });
  receiver.answer = undefined;
  expect(code).toBe(1);
  expect(stdout).toMatch(/hook +no +no answer within 10 s\n/);
  expect(stdout).toMatch(/channel +yes +200 ok\n/);
});

it('a process that is killed while it sends leaves the message to another, which sends it under the same id', async () => {
  const job = jobOf();
  await hold(stack.pool, await stageWindow(stack.pool, job, [[]]), [{ rule: 'shrink', message: 'fewer rows' }], 1);
  const before = receiver.requests.length;
  receiver.answer = () => undefined;
  const first = startProgram(['start', '--role', 'worker'], env);
  await until('the first attempt', () => receiver.requests.length > before);
  first.send('SIGKILL');
  await first.ended;
  written += first.stdout + first.stderr;
  receiver.answer = undefined;
  // What passes by itself after half a minute.
  await stack.pool.query('UPDATE searchmill.notification_targets SET lease_until = now()');
  const second = startProgram(['start', '--role', 'worker'], env);
  const message = await until('the message', () => receiver.accepted.find(({ data }) => data.kind === 'held'));
  expect(message.data).toMatchObject({ jobs: [job.name], count: 1 });
  await until('the channel', () => slack.requests.some(({ body }) => body.includes(job.name)));
  const ids = receiver.requests.slice(before).map(({ headers }) => headers['webhook-id']);
  expect(ids.filter((id) => id === message.id).length).toBeGreaterThan(1);
  second.send('SIGTERM');
  expect((await second.ended).code).toBe(0);
  written += second.stdout + second.stderr;
  written += (await runProgram(['notify', 'list', '--json'], env)).stdout;
  written += (await runCli(['status'], { env })).out;
});

it('neither an address nor a key is in what was written, nor in the ledger', async () => {
  for (const table of ['notifications', 'notification_targets', 'notified_problems', 'instances']) {
    written += JSON.stringify(await stack.read(`SELECT * FROM searchmill.${table}`));
  }
  expect(written.length).toBeGreaterThan(1_000);
  for (const secret of [receiver.url, slack.url, 'path-secret', WEBHOOK_SECRET.slice(6)]) expect(written.includes(secret)).toBe(false);
});
