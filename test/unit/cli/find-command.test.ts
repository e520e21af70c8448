import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findCommand } from '../../../src/cli/find-command.ts';
import { COMMAND } from '../../../src/core/own-command.ts';

it.each([
  ['node with the path from here', {}, '/app/dist/main.js', 'node dist/main.js'],
  ['node with the whole path, where that is shorter', {}, '/x/main.js', 'node /x/main.js'],
  ['a quoted path', {}, '/app/my builds/main.js', "node 'my builds/main.js'"],
  ['tsx for the source', {}, '/app/src/main.ts', 'npx tsx src/main.ts'],
  ['npx, where npm keeps it', { PATH: '/app/node_modules/.bin' }, '/app/node_modules/.bin/searchmill', 'npx searchmill'],
  ['node, where something that npx runs has started it', { npm_command: 'exec' }, '/app/dist/main.js', 'node dist/main.js'],
  ['its name, where it is installed on the PATH', { PATH: '/bin:/usr/local/bin' }, '/usr/local/bin/searchmill', 'searchmill'],
  ['its path, where it is installed elsewhere', { PATH: '/bin' }, '/app/bin/searchmill', 'node bin/searchmill'],
  [
    'what SEARCHMILL_COMMAND says',
    { SEARCHMILL_COMMAND: 'docker compose exec x', npm_command: 'exec' },
    '/app/main.js',
    'docker compose exec x',
  ],
  ['node, where that cannot be said', { SEARCHMILL_COMMAND: 'a "b"' }, '/app/main.js', 'node main.js'],
] as const)('is typed again as %s', (_, env, script, command) => {
  expect(findCommand({ env, script, folder: '/app' })).toBe(command);
});

// Where processes run apart from those who read them, nobody can type how they were started.
it.each([
  ['compose.yaml', /^ *SEARCHMILL_COMMAND: (.*)$/m],
  ['deploy/kubernetes/scheduler.yaml', /name: SEARCHMILL_COMMAND, value: (.*) \}$/m],
  ['deploy/kubernetes/worker.yaml', /name: SEARCHMILL_COMMAND, value: (.*) \}$/m],
  ['deploy/systemd/searchmill.service', /^Environment="SEARCHMILL_COMMAND=(.*)"$/m],
  ['deploy/systemd/searchmill', /SEARCHMILL_COMMAND='(.*)'$/m],
])('is run again as %s says', (file, setting) => {
  const [, command = ''] = setting.exec(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')) ?? [];
  expect(command).toMatch(COMMAND);
  expect(findCommand({ env: { SEARCHMILL_COMMAND: command }, script: '/app/main.js', folder: '/app' })).toBe(command);
});
