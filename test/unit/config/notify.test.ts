// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
// notify: targets, whose addresses are secrets.
import { describe, expect, expectTypeOf, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { readMailServer } from '../../../src/config/mail-server.ts';
import type { NotifyTarget } from '../../../src/config/notify.ts';
import { TARGET_FIELDS } from '../../../src/config/notify.ts';
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
const urlOf = (target: NotifyTarget | undefined): string | undefined => (target && 'url' in target ? target.url.reveal() : undefined);

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
  expect([urlOf(ops), urlOf(pager), pager?.kind === 'webhook' && pager.secret.reveal()]).toEqual([ENV.SLACK, ENV.HOOK, KEY]);
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
  expect(readMailServer(urlOf(team) ?? '')).toEqual({
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
    ['ops: { slack: "${MISSING}", chanel: x }', 'notify.targets.ops.chanel: is not known here'],
    ['ops: { slack: "${MISSING" }', 'notify.targets.ops.slack: ${ does not begin a variable'],
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
  expectTypeOf<(typeof TARGET_FIELDS)[number]>().toEqualTypeOf<Exclude<NotifyTarget['kind'], 'unset'>>();
  expect(new Set(TARGET_FIELDS).size).toBe(TARGET_FIELDS.length);
});

describe('a target that lacks a variable is no reason to refuse the file:', () => {
  const UNREADABLE = { ...ENV, GONE_FILE: '/nowhere/gone' };
  const WAITS = 'until then messages to the target wait, and loads go on';

  it.each([
    ['{ slack: "${MISSING}" }', 'slack: the variable MISSING is not set'],
    ['{ slack: "${GONE}" }', 'slack: GONE_FILE names a file that cannot be read'],
    ['{ webhook: "${MISSING}", secret: "${KEY}" }', 'webhook: the variable MISSING is not set'],
    ['{ webhook: "${HOOK}", secret: "${MISSING}" }', 'secret: the variable MISSING is not set'],
    ['{ email: "${MISSING}", from: a@example.com, to: [a@example.com] }', 'email: the variable MISSING is not set'],
    ['{ email: "smtp://a:${MISSING}@mail.example", from: a@example.com, to: [a@example.com] }', 'email: the variable MISSING is not set'],
    ['{ email: "${MAIL}", from: "${MISSING}", to: [a@example.com] }', 'from: the variable MISSING is not set'],
    ['{ email: "${MAIL}", from: a@example.com, to: ["${MISSING}"] }', 'to[0]: the variable MISSING is not set'],
  ])('%s', (written, told) => {
    const text = file(`team: ${written}`, 'ops: { slack: "${SLACK}" }');
    const { config, warnings } = parseJobsConfig('jobs.yaml', text, UNREADABLE);
    const line = text.split('\n').findIndex((each) => each.includes('team:')) + 1;
    const place = `jobs.yaml:${line}:`;
    expect(warnings).toEqual([expect.stringContaining(`notify.targets.team.${told}`)]);
    expect(warnings[0]).toContain(place);
    expect(warnings[0]).toContain(WAITS);
    const [ops, team] = config.notify.targets;
    expect(urlOf(ops)).toBe(ENV.SLACK);
    expect(team).toMatchObject({ name: 'team', kind: 'unset', reason: expect.stringContaining(place) as string });
    expect(team?.kind === 'unset' && team.reason).toContain(told);
    expect(config.jobs).toHaveLength(1);
  });

  it('its own rules stay, and one that lacks a variable has its default', () => {
    const text = file('ops: { slack: "${MISSING}", severity: warning, after: 5m, remind: "${NONE}", events: ["${NONE}"], signals: true }');
    const { config, warnings } = parseJobsConfig('jobs.yaml', text, {});
    expect(warnings).toHaveLength(3);
    expect(config.notify.targets).toEqual([
      expect.objectContaining({ kind: 'unset', severity: 'warning', afterMs: 300_000, remindMs: 86_400_000, events: [], hasSignals: true }),
    ]);
  });

  it('the address of the pages is left out of messages', () => {
    const text = file('ops: { slack: "${SLACK}" }').replace('notify:\n', 'notify:\n  pages: "${PAGES}"\n');
    const { config, warnings } = parseJobsConfig('jobs.yaml', text, ENV);
    expect(warnings).toEqual([expect.stringMatching(/notify\.pages: the variable PAGES is not set.*until then messages have no links$/)]);
    expect(config.notify.pages).toBeUndefined();
    const alone = file('ops: { slack: "${MISSING}" }').replace('notify:\n', 'notify:\n  pages: https://pages.example\n');
    expect(parseJobsConfig('jobs.yaml', alone, {}).config.notify.pages).toBe('https://pages.example');
  });

  it('nor is one whose address stands once, as an anchor of the file', () => {
    const text = `x-slack: &slack "\${MISSING}"\n${file('ops: { slack: *slack }', 'team: { slack: *slack }')}`;
    const { config, warnings } = parseJobsConfig('jobs.yaml', text, ENV);
    expect(config.notify.targets.map(({ kind }) => kind)).toEqual(['unset', 'unset']);
    expect(warnings).toEqual([expect.stringContaining('jobs.yaml:1:18: x-slack: the variable MISSING is not set')]);
    expect(config.notify.targets[0]).toMatchObject({ reason: expect.stringContaining('jobs.yaml:1:18: ') as string });
  });
});

it('a variable that a connection or a job lacks is a mistake, though a target lacks one, too', () => {
  const text = file('ops: { slack: "${MISSING}" }').replace('account_id: 1', 'account_id: "${ACCOUNT}"');
  expect(mistakesIn(text, ENV)).toEqual([expect.stringContaining('account_id: the variable ACCOUNT is not set')]);
  const shared = `x-all: &all "\${MISSING}"\n${file('ops: { slack: *all }').replace('account_id: 1', 'account_id: *all')}`;
  expect(mistakesIn(shared, ENV)).toEqual([expect.stringContaining('x-all: the variable MISSING is not set')]);
});
