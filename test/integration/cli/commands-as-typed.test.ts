// What the program prints can be typed as it stands: in a fresh clone, and where a container says how it is reached.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VERBS } from '../../../src/core/own-command.ts';
import { ensureBuilt, startProgram } from '../../support/program.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

const UNTYPABLE = new RegExp(`(?<![\\w./-])searchmill (${VERBS.join('|')})\\b`);

let database: TestDatabase;
beforeAll(async () => {
  await ensureBuilt();
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function printedBy(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const program = startProgram(args, env);
  await program.ended;
  return program.stdout + program.stderr;
}

it('of every help text', async () => {
  const helps = await Promise.all([['--help'], ...VERBS.map((verb) => [verb, '--help'])].map((args) => printedBy(args)));
  expect(helps.filter((help) => UNTYPABLE.test(help) || !help.includes('node dist/main.js'))).toEqual([]);
});

it('of status, of errors and of JSON output', async () => {
  const env = { DATABASE_URL: database.url };
  expect(await printedBy(['status'])).toContain('try "node dist/main.js demo"');
  expect(await printedBy(['status'], env)).toContain('"node dist/main.js run" or "node dist/main.js start"');
  const SEARCHMILL_COMMAND = 'docker compose exec scheduler node dist/main.js';
  expect(await printedBy(['status'], { ...env, SEARCHMILL_COMMAND })).toContain(`"${SEARCHMILL_COMMAND} run"`);
  const told = await printedBy(['status', '--json'], { ...env, SEARCHMILL_COMMAND });
  expect(UNTYPABLE.test(told)).toBe(false);
  expect(JSON.parse(told)).toMatchObject({ verdict: { kind: 'nothing-yet' } });
});
