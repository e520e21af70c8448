// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
// notify: targets, whose addresses are secrets.
import { describe, expect, expectTypeOf, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { readMailServer } from '../../../src/config/mail-server.ts';
import { TARGET_FIELDS } from '../../../src/config/notify.ts';
import type { NotifyTarget } from '../../../src/config/settings.ts';
import { jobFile, mistakesIn } from './jobs-file.ts';

const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ENV = {
  SLACK: 'https://hooks.slack.example/services/T0/B0/verysecret',
  HOOK: 'http://127.0.0.1:1/verysecret',
  FAR: 'http://far.example/verysecret',
  KEY,
  MAIL: 'smtp://verysecret:verysecret%40@mail.example:2525',
  HALF: 'smtps://verysecret@mail.example',
  CODED: 'smtps://verysecret:%zz@mail.example',
};
const file = (...lines: string[]): string =>
  `${jobFile('since: 2026-09-06', 'account_id: 1')}\nnotify:\n  targets:\n${lines.map((line) => `    ${line}\n`).join('')}`;
const mistakes = (...lines: string[]): string[] => mistakesIn(file(...lines), ENV).map((line) => line.replace(/^\d+:\d+: /, ''));

it('resolves targets with their addresses as secrets', () => {
  const text = file(
    'ops: { slack: "${SLACK}" }',
    'pager: { webhook: "${HOOK}", secret: "${KEY}", severity: warning, after: 5m, remind: 2h, digest: true }',
  );
  const { config } = parseJobsConfig('jobs.yaml', text, ENV);
  const [ops, pager] = config.notify.targets;
  expect(ops).toMatchObject({ name: 'ops', kind: 'slack', severity: 'error', afterMs: 120_000, remindMs: 86_400_000, hasDigest: false });
  expect(pager).toMatchObject({
    name: 'pager',
    kind: 'webhook',
    severity: 'warning',
    afterMs: 300_000,
    remindMs: 7_200_000,
    hasDigest: true,
  });
  expect([ops?.url.reveal(), pager?.url.reveal(), pager?.kind === 'webhook' && pager.secret.reveal()]).toEqual([ENV.SLACK, ENV.HOOK, KEY]);
  expect(JSON.stringify(config.notify)).not.toContain('verysecret');
});

it('resolves e-mail, signals and the brief', () => {
  const text = file('team: { email: "${MAIL}", from: me@example.com, to: [a@example.com, b@example.com], signals: true, brief: monday }');
  const { config } = parseJobsConfig('jobs.yaml', text, ENV);
  const [team] = config.notify.targets;
  expect(team).toMatchObject({
    kind: 'email',
    mail: { from: 'me@example.com', to: ['a@example.com', 'b@example.com'], allowsPlain: false },
    hasSignals: true,
    briefOn: 'monday',
  });
  expect(readMailServer(team?.url.reveal() ?? '')).toEqual({
    host: 'mail.example',
    port: 2525,
    isTls: false,
    auth: { user: 'verysecret', pass: 'verysecret@' },
  });
  expect(JSON.stringify(config.notify)).not.toContain('verysecret');
});

it.each([
  ['smtp://mail.example', 587, false],
  ['smtps://mail.example', 465, true],
  ['smtps://[::1]:1025', 1025, true],
])('reads %s', (address, port, isTls) => {
  expect(readMailServer(address)).toEqual({ host: address.includes('::1') ? '::1' : 'mail.example', port, isTls, auth: undefined });
});

it.each([
  ['events: true', ['published', 'held', 'revised']],
  ['events: false', []],
  ['events: [week.revised, week.published]', ['published', 'revised']],
  ['severity: error', []],
])('%s tells of %j', (written, expected) => {
  const { config } = parseJobsConfig('jobs.yaml', file(`ops: { slack: "\${SLACK}", ${written} }`), ENV);
  expect(config.notify.targets[0]?.events).toEqual(expected);
});

it('has no targets when there is no notify', () => {
  expect(parseJobsConfig('jobs.yaml', jobFile('since: 2026-09-06', 'account_id: 1'), {}).config.notify.targets).toEqual([]);
});

describe('a target is refused, without its address being shown,', () => {
  it.each([
    ['ops: { slack: https://hooks.slack.example/services/verysecret }', 'notify.targets.ops.slack: is a secret written in the file'],
    [
      'ops: { webhook: "${HOOK}", secret: whsec_verysecretverysecretverysecretverysecret }',
      'notify.targets.ops.secret: is a secret written in the file',
    ],
    ['ops: { webhook: "${HOOK}" }', 'notify.targets.ops.secret: is missing'],
    ['ops: { webhook: "${FAR}", secret: "${KEY}" }', 'notify.targets.ops.webhook: is http to another machine'],
    ['ops: { slack: "${KEY}" }', 'notify.targets.ops.slack: is no'],
    ['ops: { slack: "${MISSING}" }', 'notify.targets.ops.slack: the variable MISSING is not set'],
    ['ops: { webhook: "${HOOK}", secret: "${HOOK}" }', 'notify.targets.ops.secret: comes from a variable whose value is not valid'],
    ['ops: { slack: "${SLACK}", severity: fatal }', 'notify.targets.ops.severity: is "fatal"; expected one of error, warning'],
    ['ops: { slack: "${SLACK}", remind: 1 day }', 'notify.targets.ops.remind: is "1 day"; expected a duration'],
    ['ops: { slack: "${SLACK}", chanel: x }', 'notify.targets.ops.chanel: is not known here'],
    ['ops: https://verysecret.example', 'notify.targets.ops: is text in another format'],
    ['ops: { slack: "${SLACK}", events: [week.removed] }', 'notify.targets.ops.events'],
    ['ops: { slack: "${SLACK}", brief: mon }', 'notify.targets.ops.brief: is "mon"; expected one of sunday, monday'],
    ['ops: { slack: "${SLACK}", signals: all }', 'notify.targets.ops.signals: is "all"; expected true or false'],
    ['ops: { email: "${MAIL}", from: a@example.com }', 'notify.targets.ops.to: is missing'],
    ['ops: { email: "${MAIL}", to: [a@example.com] }', 'notify.targets.ops.from: is missing'],
    ['ops: { email: "${MAIL}", from: a@example.com, to: [] }', 'notify.targets.ops.to: is an empty list'],
    ['ops: { email: "${MAIL}", from: "a@example.com, b@example.com", to: [a@example.com] }', 'notify.targets.ops.from: is'],
    ['ops: { email: "${MAIL}", from: a@example.com, to: ["<a@example.com>"] }', 'notify.targets.ops.to[0]: is'],
    [
      'ops: { email: "${SLACK}", from: a@example.com, to: [a@example.com] }',
      'notify.targets.ops.email: is not an address of a mail server',
    ],
    ['ops: { email: "${HALF}", from: a@example.com, to: [a@example.com] }', 'notify.targets.ops.email: has a user without a password'],
    [
      'ops: { email: "${CODED}", from: a@example.com, to: [a@example.com] }',
      'notify.targets.ops.email: has a user or password that is not',
    ],
    [
      'ops: { email: "smtp://verysecret:x@mail.example", from: a@example.com, to: [a@example.com] }',
      'notify.targets.ops.email: is a secret written',
    ],
    ['{}', 'notify.targets: is empty; expected a mapping with 1 to 20 targets'],
    ['OPS NOW: { slack: "${SLACK}" }', 'notify.targets.OPS NOW'],
  ])('as in %s', (line, mistake) => {
    const told = mistakes(line);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(mistake);
    expect(told[0]).not.toContain('verysecret');
  });

  it('by line and column', () => {
    expect(mistakesIn(file('ops: { slack: "${SLACK}", remind: never }'), ENV)[0]).toMatch(/^\d+:39: notify\.targets\.ops\.remind/);
  });
});

it('takes plain http to another machine where it is allowed', () => {
  expect(mistakes('ops: { webhook: "${FAR}", secret: "${KEY}", allow_http: true }')).toEqual([]);
});

it('every kind of target is told by its field', () => {
  // The compiler refuses a kind without a field, or a field of no kind.
  expectTypeOf<(typeof TARGET_FIELDS)[number]>().toEqualTypeOf<NotifyTarget['kind']>();
  expect(new Set(TARGET_FIELDS).size).toBe(TARGET_FIELDS.length);
});
