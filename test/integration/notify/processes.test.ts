// Notifications by the built program: over the death of a process, and without a trace of addresses and keys.
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hold } from '../../../src/ledger/executions.ts';
import { runCli } from '../../support/command-line.ts';
import { jobOf } from '../../support/ledger.ts';
import { MAIL_PASSWORD, MAIL_USER, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { ensureBuilt, killPrograms, runProgram, startProgram } from '../../support/program.ts';
import { createCertificate } from '../../support/self-signed-certificate.ts';
import { createTestStack, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { startWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { stageWindow } from '../../support/window-steps.ts';

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
    mail: { email: "\${SMTP_URL}", from: searchmill@example.com, to: [team@example.com] }
`;

let stack: TestStack;
let receiver: WebhookReceiver;
let slack: WebhookReceiver;
let mail: MailServer;
let env: Record<string, string>;
let written = '';

beforeAll(async () => {
  await ensureBuilt();
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
  [receiver, slack] = [await startWebhookReceiver(), await startWebhookReceiver()];
  slack.answer = (response) => response.end('ok');
  const authority = createCertificate({ commonName: 'authority', isCa: true });
  mail = await startMailServer({ issuer: { ...authority, commonName: 'authority' } });
  const certificates = join(stack.folder, 'authority.pem');
  await writeFile(certificates, authority.cert);
  const path = join(stack.folder, 'notify.yaml');
  await writeFile(path, JOBS + TARGETS);
  const own = { SEARCHMILL_CONFIG: path, HOOK: receiver.url, CHANNEL: slack.url, KEY: WEBHOOK_SECRET, LOG_LEVEL: 'trace', OPS_PORT: '0' };
  // An address of this machine that is not known to be one, so TLS is a must, with a certificate of an authority that the program is told of.
  const byMail = { SMTP_URL: mail.url.replace('127.0.0.1', '0.0.0.0'), NODE_EXTRA_CA_CERTS: certificates };
  env = { ...stack.env, ...own, ...byMail };
});
afterAll(async () => {
  await killPrograms();
  await Promise.all([receiver.close(), slack.close(), mail.close()]);
  await stack.close();
});

it('a test message says what each target answers', async () => {
  const { code, stdout: out, stderr: err } = await runProgram(['notify', '--test'], env);
  written += out + err;
  // The job's schedule never fires while the tests run.
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/^warning: \S+ jobs\[0\]\.schedule\.cron: looks for new weeks less than once a week[^\n]*\n$/),
  ]);
  expect(out).toMatch(/mail +yes +250\n/);
  expect(mail.received).toMatchObject([
    { to: ['team@example.com'], isTls: true, user: MAIL_USER, source: expect.stringContaining('A test of Searchmill') },
  ]);
  expect(out).toMatch(/hook +yes +200\n/);
  expect(out).toMatch(/channel +yes +200 ok\n/);
  expect(receiver.accepted.map(({ type }) => type)).toEqual(['test']);
  expect(JSON.parse(slack.requests[0]?.body ?? '')).toEqual({ text: 'A test of Searchmill: problems will be reported here.' });

  slack.answer = (response) => response.writeHead(404).end('no_service');
  mail.answers.set('team@example.com', [550, 'team@example.com is gone']);
  const failed = await runProgram(['notify', '--test', '--json'], env);
  written += failed.stdout + failed.stderr;
  expect([failed.code, JSON.parse(failed.stdout)]).toEqual([
    1,
    {
      targets: [
        { target: 'hook', isDelivered: true, answer: '200' },
        { target: 'channel', isDelivered: false, answer: '404 no_service' },
        { target: 'mail', isDelivered: false, answer: '550: the server refuses sender or recipients' },
      ],
    },
  ]);
  slack.answer = (response) => response.end('ok');
  mail.answers.clear();
});

it('check says how e-mail goes', async () => {
  expect((await runProgram(['check'], env)).stdout).toContain('target mail: directly, like all e-mail');
});

it('a receiver that never answers is given up after 10 s, a mail server after 20 s, whatever garbage is collected meanwhile', async () => {
  const collecting = join(stack.folder, 'collecting.cjs');
  await writeFile(
    collecting,
    "require('node:v8').setFlagsFromString('--expose-gc'); setInterval(require('node:vm').runInNewContext('gc'), 20).unref();",
  );
  receiver.answer = () => undefined;
  const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const own = { NODE_OPTIONS: `--require ${collecting}`, SMTP_URL: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}` };
  const { code, stdout } = await runProgram(['notify', '--test'], { ...env, ...own });
  await new Promise((resolve) => silent.close(resolve));
  receiver.answer = undefined;
  expect(code).toBe(1);
  expect(stdout).toMatch(/hook +no +no answer within 10 s\n/);
  expect(stdout).toMatch(/mail +no +no answer within 20 s\n/);
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
  // The lease of the killed process, which would end by itself after half a minute.
  await stack.pool.query('UPDATE searchmill.notification_targets SET lease_until = now()');
  const second = startProgram(['start', '--role', 'worker'], env);
  const message = await until('the message', () => receiver.accepted.find(({ data }) => data.kind === 'held'));
  expect(message.data).toMatchObject({ jobs: [job.name], count: 1 });
  await until('the channel', () => slack.requests.some(({ body }) => body.includes(job.name)));
  await until('the e-mail', () => mail.received.some(({ source }) => source.replaceAll('=\r\n', '').includes(job.name)));
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
  const byMail = [mail.url, encodeURIComponent(MAIL_PASSWORD), MAIL_PASSWORD, MAIL_USER, 'team@example.com'];
  for (const secret of [receiver.url, slack.url, 'path-secret', WEBHOOK_SECRET.slice(6), ...byMail])
    expect(written.includes(secret)).toBe(false);
});
