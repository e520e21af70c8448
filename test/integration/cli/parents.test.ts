// npx, npm start and npm run demo run the program below a shell, which a signal ends without passing it on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt, killPrograms } from '../../support/program.ts';
import { until } from '../../support/wait.ts';

beforeAll(ensureBuilt);
afterAll(killPrograms);

it.each(['exec', 'start', 'run', 'run-script'])('a program that npm %s started ends with the shell above it', async (command) => {
  const { PATH = '', HOME = '' } = process.env;
  // A shell with another command to run does not become the program.
  const shell = spawn('sh', ['-c', `"${process.execPath}" dist/main.js sandbox --port 0 --size tiny; true`], {
    env: { PATH, HOME, npm_command: command },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const address = await until('its address', () => /listens on (\S+)/.exec(said)?.[1]);
  expect((await fetch(`${address}/openapi.json`)).ok).toBe(true);
  shell.kill('SIGTERM');
  await once(shell, 'exit');
  await until('its end', () =>
    fetch(`${address}/openapi.json`).then(
      () => false,
      () => true,
    ),
  );
});
