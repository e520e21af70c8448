import { describe, expect, it } from 'vitest';
import { VERBS } from '../../../src/core/own-command.ts';
import { runCli } from '../../support/command-line.ts';

const ALL = [...VERBS, 'quarantine list', 'quarantine show', 'quarantine replay', 'note add', 'reports rebuild'];

describe('help', () => {
  it('names every verb, the settings and the exit codes', async () => {
    const { code, out, err } = await runCli(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const verb of VERBS) expect(out).toMatch(new RegExp(`^ {2}${verb} `, 'm'));
    expect(out).toContain('DATABASE_URL');
    expect(out).toContain('Exit codes: 0 done, 1 some work failed, 2 usage or configuration.');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it.each(ALL)('of %s has examples, knows --config and fits 80 columns', async (verb) => {
    const { code, out } = await runCli([...verb.split(' '), '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Examples?:\n {2}(\w+=\S+ |claude mcp add .*)?searchmill /m);
    expect(out).toContain('-c, --config <file>');
    const [prose] = out.split(/^Examples?:$/m);
    expect(prose?.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('is shown by a bare "searchmill", which exits as a mistake', async () => {
    const { code, err } = await runCli([]);
    expect(code).toBe(2);
    expect(err).toContain('Usage: searchmill');
  });
});

it('of notify is shown by a bare "notify", which exits as a mistake', async () => {
  const { code, out, err } = await runCli(['notify']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('Usage: searchmill notify');
});

describe('a mistake in the command line', () => {
  it.each([
    [['statsu'], 'Did you mean status?'],
    [['status', '--jsn'], 'Did you mean --json?'],
    [['run', '--week', '2026-02-30'], 'Expected a date such as 2026-11-08'],
    [['run', '--from', '0026-09-06', '--to', '2026-09-06'], 'Nothing before 2000-01-01 is loaded'],
    [['backfill', 'acme'], "required option '--from <date>' not specified"],
    [['backfill', '--from', '2026-01-01', '--to', '2026-02-01'], "missing required argument 'job'"],
    [['start', '--role', 'boss'], 'Allowed choices are all, scheduler, worker'],
    [['start', '--concurrency', '0'], 'Expected a whole number from 1'],
    [['approve'], "missing required argument 'slice|job'"],
    [['sandbox', '--port', '70000'], 'Expected a port, 0 to 65535'],
    [['sandbox', '--key', 'no-secret'], '--key: expected a key and its secret'],
    [['sandbox', '--duplicates', '2'], 'expected a share from 0 to 1'],
    [['--config'], 'argument missing'],
    [['status', 'one', 'two'], 'too many arguments'],
  ])('%j exits with 2 and says what is wanted', async (args, message) => {
    const { code, out, err } = await runCli(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(out).toBe('');
  });

  it('is reported first, and the database only after the line itself is right', async () => {
    const { code, err } = await runCli(['status']);
    expect(code).toBe(2);
    expect(err).toContain('DATABASE_URL: is not set');
    expect(err).toContain('searchmill demo');
  });

  it('shows the version', async () => {
    expect(await runCli(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});
