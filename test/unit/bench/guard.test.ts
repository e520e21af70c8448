import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';

const GUARD = pathToFileURL(join(import.meta.dirname, '../../../bench/support/guard.ts')).href;
const directory = mkdtempSync(join(tmpdir(), 'searchmill-guard-'));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('ends what a killed benchmark was watching, forgets what it was told to forget, and removes the folder', async () => {
  const [watched, forgotten] = [spawn('sleep', ['600']), spawn('sleep', ['600'])];
  const program = `
    import { startGuard } from ${JSON.stringify(GUARD)};
    const guard = startGuard(${JSON.stringify(directory)});
    guard.watch(${forgotten.pid}); guard.watch(${watched.pid}); guard.forget(${forgotten.pid});
    console.log('told'); setInterval(() => {}, 1000);`;
  const bench = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(bench.stdout, 'data');
  const ended = once(watched, 'exit');
  bench.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
  while (existsSync(directory)) await systemClock.sleep(20);
  expect(forgotten.exitCode ?? forgotten.signalCode).toBeNull();
  forgotten.kill();
});
