import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { asTyped, setOwnCommand, VERBS } from '../../../src/core/own-command.ts';

afterEach(() => setOwnCommand('searchmill'));

describe('a text with commands', () => {
  it.each(['node dist/main.js', 'npx searchmill', 'docker compose exec scheduler node dist/main.js', '/opt/mill/bin/searchmill'])(
    'shows them as they are typed with %s, and does not change when this is done twice',
    (command) => {
      setOwnCommand(command);
      const typed = asTyped('run "searchmill migrate", `searchmill run a   loads`;\n  searchmill status\nUsage: searchmill [options]');
      expect(typed).toBe(`run "${command} migrate", \`${command} run a   loads\`;\n  ${command} status\nUsage: ${command} [options]`);
      expect(asTyped(typed)).toBe(typed);
    },
  );

  it('keeps other words, roles and paths', () => {
    setOwnCommand('node dist/main.js');
    const text = 'GRANT searchmill_writer; searchmill publishes; bin/searchmill run; the running searchmill';
    expect(asTyped(text)).toBe(text);
  });
});

it('every command in a message has a verb that exists', () => {
  const root = new URL('../../../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(ts|tsx|sql)$/.test(file));
  // Names of sessions and locks are no commands.
  const NO_COMMAND = /applicationName: '|application_name: '|hashtext\('|createHash|scryptSync/;
  const named = files.flatMap((file) =>
    readFileSync(new URL(file, root), 'utf8')
      .split('\n')
      .filter((line) => !NO_COMMAND.test(line))
      .flatMap((line) => [...line.matchAll(/(?:^ {2,}|["'`])searchmill ([a-z]+)/g)].map(([, verb]) => ({ file, verb }))),
  );
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter(({ verb }) => !(VERBS as readonly (string | undefined)[]).includes(verb))).toEqual([]);
});
