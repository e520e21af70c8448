// E-mail to a real SMTP server, however it behaves: what is sent, what is said of it, and that nothing of the address is.
import { createServer, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import type { NotifyTarget } from '../../../src/config/notify.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { NO_PROXIES } from '../../../src/egress/route.ts';
import { addMessage, listMessages } from '../../../src/ledger/notifications.ts';
import type { Answer } from '../../../src/notify/answer.ts';
import { deliver } from '../../../src/notify/deliver.ts';
import type { Message } from '../../../src/notify/message-lines.ts';
import { startNotifier } from '../../../src/notify/notifier.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import { useLedger } from '../../support/ledger.ts';
import { MAIL_PASSWORD, MAIL_USER, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { notifyTarget } from '../../support/notify-target.ts';
import { until } from '../../support/wait.ts';

const ledger = useLedger();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await ledger.pool.query('TRUNCATE searchmill.notifications, searchmill.notification_targets CASCADE');
});

async function open(own: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> {
  const server = await startMailServer(own);
  closers.push(() => server.close());
  return server;
}

type Own = Readonly<{ to?: readonly string[]; allowsPlain?: boolean; ehlo?: string }>;
const targetOf = (url: string, { to = ['team@example.com'], allowsPlain = false, ehlo }: Own = {}): NotifyTarget =>
  notifyTarget('mail', { kind: 'email', url: new Secret(url), mail: { from: 'searchmill@example.com', to, allowsPlain, ehlo } });
const TEST: Message = { type: 'test', timestamp: '2026-11-16T06:00:00Z', data: { text: 'A test <b> & more' } };
const NEVER = new AbortController().signal;

const send = (target: NotifyTarget, message: Message = TEST, signal = NEVER): Promise<Answer> =>
  deliver(target, 'b5a2', message, { proxies: NO_PROXIES, signal });

/** Without the soft line breaks of quoted-printable. */
const unfold = (source = ''): string => source.replaceAll('=\r\n', '');

/** This machine, by an address that does not count as its own. */
const elsewhere = ({ url }: MailServer): string => url.replace('127.0.0.1', '0.0.0.0');

it('goes with user and password by STARTTLS, as text and as HTML, under the id of the message', async () => {
  const server = await open();
  expect(await send(targetOf(server.url, { to: ['team@example.com', 'boss@example.com'] }))).toMatchObject({
    isDelivered: true,
    text: '250',
  });
  const [mail] = server.received;
  expect(mail).toMatchObject({
    from: 'searchmill@example.com',
    to: ['team@example.com', 'boss@example.com'],
    isTls: true,
    user: MAIL_USER,
  });
  expect(mail?.source).toMatch(/^Message-ID: <b5a2@searchmill>\r$/m);
  expect(mail?.source).toMatch(/^Subject: A test <b> & more\r$/m);
  expect(mail?.source).toMatch(/Content-Type: text\/plain[\s\S]*A test <b> & more/);
  expect(unfold(mail?.source)).toMatch(/Content-Type: text\/html[\s\S]*A test &lt;b&gt; &amp; more/);
});

it('goes by TLS from the first byte on where the address says smtps', async () => {
  const server = await open({ secure: true });
  // Nobody vouches for the server's certificate.
  expect(await send(targetOf(server.url))).toMatchObject({ isDelivered: false, text: 'cannot be reached: DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(server.received).toEqual([]);
});

describe('to another machine', () => {
  it('neither user nor message go by a connection without TLS', async () => {
    const plain = await open({ options: { disabledCommands: ['STARTTLS'], allowInsecureAuth: true } });
    expect(await send(targetOf(elsewhere(plain)))).toMatchObject({ isDelivered: false, text: expect.stringContaining('STARTTLS') });
    expect(plain.received).toEqual([]);
    expect(await send(targetOf(elsewhere(plain), { allowsPlain: true }))).toMatchObject({ isDelivered: true });
    expect(plain.received).toMatchObject([{ isTls: false, user: MAIL_USER }]);
  });

  it('a certificate that nobody vouches for is refused', async () => {
    const server = await open();
    expect(await send(targetOf(elsewhere(server)))).toMatchObject({ isDelivered: false, text: expect.stringContaining('SELF_SIGNED') });
    expect(server.received).toEqual([]);
  });
});

describe('of a server that', () => {
  const refusals: [string, string, readonly [number, string], Partial<Answer>][] = [
    [
      'refuses the recipient for good',
      'team@example.com',
      [550, 'no team@example.com here'],
      { text: '550: the server refuses sender or recipients', isRefused: true },
    ],
    [
      'puts the recipient off',
      'team@example.com',
      [451, 'team@example.com: later'],
      { text: '451: the server refuses sender or recipients', isRefused: false },
    ],
    [
      'refuses the sender',
      'from',
      [553, 'not searchmill@example.com'],
      { text: '553: the server refuses sender or recipients', isRefused: true },
    ],
    ['refuses the message', 'data', [554, 'spam'], { text: '554: the server refuses the message', isRefused: true }],
    ['has no room now', 'data', [452, 'full'], { text: '452: the server refuses the message', isRefused: false }],
  ];
  it.each(refusals)('%s, the code is reported, and whether another attempt would help', async (_, what, answer, expected) => {
    const server = await open();
    server.answers.set(what, answer);
    const told = await send(targetOf(server.url));
    expect(told).toMatchObject({ isDelivered: false, ...expected });
    expect(server.received).toEqual([]);
  });

  it('refuses one of several recipients, the others get it, and that is reported', async () => {
    const server = await open();
    server.answers.set('gone@example.com', [550, 'gone']);
    const answer = await send(targetOf(server.url, { to: ['gone@example.com', 'team@example.com'] }));
    expect(answer).toMatchObject({ isDelivered: true, text: '250, but not for 1 of 2' });
    expect(server.received.map(({ to }) => to)).toEqual([['team@example.com']]);
  });

  it('puts one of several recipients off, the others have it, and only that one is tried again, until it is refused or has it', async () => {
    const server = await open();
    const target = targetOf(server.url, { to: ['slow@example.com', 'gone@example.com', 'team@example.com'] });
    server.answers.set('slow@example.com', [451, 'later']);
    server.answers.set('gone@example.com', [550, 'gone']);
    const first = await send(target);
    expect(first).toMatchObject({
      isDelivered: false,
      isRefused: false,
      text: '250, but not for 1 of 3; 1 put off (to[0]), tried again later',
    });
    expect(JSON.stringify(first)).not.toContain('example.com');
    const again = () => deliver(target, 'b5a2', TEST, { proxies: NO_PROXIES, signal: NEVER, settled: first.settled ?? [] });
    const second = await again();
    expect([second.isDelivered, second.settled]).toEqual([false, first.settled]);
    server.answers.clear();
    expect(await again()).toMatchObject({ isDelivered: true, text: '250' });
    expect(server.received.map(({ to }) => to)).toEqual([['team@example.com'], ['slow@example.com']]);
    for (const { source } of server.received) expect(source).toMatch(/^To: slow@example\.com, gone@example\.com, team@example\.com\r$/m);
    server.answers.set('slow@example.com', [550, 'gone']);
    expect(await again()).toMatchObject({ isDelivered: true, text: '250, but not for 1 of 1' });
  });

  it('is strict about names, it is greeted with one that has a domain: the configured one, or that of the sender', async () => {
    const names: (string | undefined)[] = [];
    const server = await open({
      options: {
        onMailFrom(_, { hostNameAppearsAs }, callback) {
          names.push(String(hostNameAppearsAs));
          callback();
        },
      },
    });
    await send(targetOf(server.url, { ehlo: 'search.example.net' }));
    await send(targetOf(server.url));
    expect(names).toEqual(['search.example.net', hostname().includes('.') ? hostname() : 'example.com']);
  });

  it('refuses the password, the message says so without showing it', async () => {
    const server = await open();
    const answer = await send(targetOf(server.url.replace(/:[^:@]+@/, ':wrong-secret@')));
    expect(answer).toMatchObject({ isDelivered: false, text: '535: the server refuses user and password', isRefused: false });
    expect(server.received).toEqual([]);
  });

  it.each([
    ['greets nobody', (): void => undefined],
    ['hangs after its greeting', (socket: Socket): void => void socket.write('220 here\r\n')],
  ])('%s, a stopping process does not wait for it', async (_, greet) => {
    const sockets: Socket[] = [];
    const hanging = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined).resume());
      greet(socket);
    });
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => hanging.close(resolve)));
    const stop = new AbortController();
    const answer = send(targetOf(`smtp://127.0.0.1:${(hanging.address() as { port: number }).port}`), TEST, stop.signal);
    const socket = await until('the connection', () => sockets[0]);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    stop.abort();
    expect(await answer).toMatchObject({ isDelivered: false, text: 'stopped while sending' });
    await closed;
  });

  it('is not there, the message says so', async () => {
    const server = await open();
    const { url } = server;
    await server.close();
    closers.pop();
    expect(await send(targetOf(url))).toMatchObject({ isDelivered: false, text: 'cannot be reached: ECONNREFUSED' });
  });
});

it('no outside text becomes a header, a recipient or markup', async () => {
  const server = await open();
  const evil = 'x\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script>\u202e';
  await send(targetOf(server.url), { ...TEST, data: { text: evil } } as Message);
  const [mail] = server.received;
  expect(mail?.to).toEqual(['team@example.com']);
  const [headers = '', body = ''] = unfold(mail?.source).split(/\r\n\r\n([\s\S]*)/);
  expect(headers).not.toMatch(/^Bcc:/im);
  expect(headers).toMatch(/^Subject: x Bcc: victim@example\.com/m);
  expect(body.slice(body.indexOf('text/html'))).not.toContain('<script>');
});

/** Sends two messages, `first` and `second`, as a running service does, until the test ends. */
async function sendTwo(notify: Parameters<typeof startNotifier>[0]['notify'], log = silentLogger): Promise<void> {
  const times = { watchEveryMs: 1_000_000, sendEveryMs: 20, retryBaseMs: 10 };
  const notifier = await startNotifier({ notify, pool: ledger.pool, log, proxies: NO_PROXIES, ...times });
  closers.push(() => notifier.stop());
  await inTransaction(ledger.pool, async (client) => {
    for (const text of ['first', 'second']) await addMessage(client, 'mail', { ...TEST, data: { text } } as Message);
  });
}

it('a deferred message is sent again, in order, and no part of the address is in the ledger', async () => {
  const server = await open();
  server.answers.set('team@example.com', [451, `team@example.com of ${MAIL_USER}: later`]);
  const notify = { pages: undefined, targets: [targetOf(server.url)] };
  const lines: string[] = [];
  const log = { ...silentLogger, warn: (...given: unknown[]) => void lines.push(JSON.stringify(given)) } as typeof silentLogger;
  await sendTwo(notify, log);
  await until('three attempts', async () => (await listMessages(ledger.pool, 10)).some(({ attempts }) => attempts >= 3));
  const ledgerText = JSON.stringify(
    (await ledger.pool.query('SELECT * FROM searchmill.notification_targets, searchmill.notifications')).rows,
  );
  for (const secret of [MAIL_USER, MAIL_PASSWORD, encodeURIComponent(MAIL_PASSWORD), '127.0.0.1', 'team@example.com']) {
    expect(`${ledgerText}${lines.join('')}`).not.toContain(secret);
  }
  server.answers.clear();
  await until('both', () => server.received.length >= 2);
  expect(server.received.map(({ source }) => /^Subject: (.*)\r$/m.exec(source)?.[1])).toEqual(['first', 'second']);
});

it('a recipient that is put off for ever is a problem, which ends when it is taken out of the target', async () => {
  const server = await open();
  const [team, slow] = ['team@example.com', 'slow@example.com'];
  server.answers.set(slow, [451, 'later']);
  const startFor = async (to: readonly string[]) => {
    const notify = { pages: undefined, targets: [targetOf(server.url, { to })] };
    const rounds = { watchEveryMs: 1_000_000, sendEveryMs: 20, retryBaseMs: 10 };
    const notifier = await startNotifier({ notify, pool: ledger.pool, log: silentLogger, proxies: NO_PROXIES, ...rounds });
    closers.push(() => notifier.stop());
    return notifier;
  };
  const former = await startFor([team, slow]);
  await inTransaction(ledger.pool, (client) => addMessage(client, 'mail', TEST as Message));
  await until('attempts', async () => (await listMessages(ledger.pool, 10)).some(({ attempts }) => attempts >= 2));
  const told = async () => findProblems(await readStatus(ledger.pool), new Date()).filter(({ kind }) => kind === 'notifications-failing');
  expect(await told()).toEqual([]);
  await ledger.pool.query("UPDATE searchmill.notifications SET created_at = created_at - interval '61 minutes'");
  const [problem] = await told();
  expect(problem?.title).toMatch(/^e-mail of mail has been put off by some of its recipients for 61 min; 1 message waits for them$/);
  expect(problem?.why).toEqual(['250; 1 put off (to[1]), tried again later']);
  expect(problem?.next.join()).toContain('take them out of mail in the jobs file, then send SIGHUP to each process');
  // The others of the target are told of it.
  expect(problem?.key).not.toMatch(/:mail$/);
  await former.stop();
  await startFor([team]);
  await until('the end', async () => (await told()).length === 0);
  expect((await listMessages(ledger.pool, 10)).map(({ state }) => state)).toEqual(['delivered']);
});

it('a recipient that is put off keeps no message from the others, and gets all of them when it can', async () => {
  const server = await open();
  const [team, slow] = ['team@example.com', 'slow@example.com'];
  server.answers.set(slow, [451, 'later']);
  await sendTwo({ pages: undefined, targets: [targetOf(server.url, { to: [team, slow] })] });
  const subjectsOf = (recipient: string): (string | undefined)[] =>
    server.received.flatMap(({ to, source }) => (to.includes(recipient) ? [/^Subject: (.*)\r$/m.exec(source)?.[1]] : []));
  await until('both for the others', () => subjectsOf(team).length >= 2);
  await until('more attempts', async () => (await listMessages(ledger.pool, 10)).every(({ attempts }) => attempts >= 3));
  expect((await listMessages(ledger.pool, 10)).map(({ state, answer }) => [state, answer])).toEqual(
    Array(2).fill(['waiting', '250; 1 put off (to[1]), tried again later']),
  );
  server.answers.clear();
  await until('both for the last', () => subjectsOf(slow).length >= 2);
  expect([subjectsOf(team), new Set(subjectsOf(slow))]).toEqual([['first', 'second'], new Set(['first', 'second'])]);
  expect(subjectsOf(slow)).toHaveLength(2);
  await until('their end', async () => (await listMessages(ledger.pool, 10)).every(({ state }) => state === 'delivered'));
});
