import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';

const GUARD = pathToFileURL(join(import.meta.dirname, '../../../bench/support/guard.ts')).href;
const directory = mkdtempSync(join(tmpdir(), 'searchmill-guard-'));
const cluster = join(directory, 'postgres');
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('ends the processes a killed benchmark was watching, but not those it was told to forget, and removes the folder', async () => {
  mkdirSync(cluster);
  const [watched, forgotten] = [spawn('sleep', ['600']), spawn('sleep', ['600'])];
  const program = `
    import { startGuard } from ${JSON.stringify(GUARD)};
    const guard = startGuard(${JSON.stringify(directory)}, ${JSON.stringify(cluster)});
    guard.watch(${forgotten.pid}); guard.watch(${watched.pid}); guard.forget(${forgotten.pid});
    console.log('told'); setInterval(() => {}, 1000);`;
  const bench = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(bench.stdout, 'data');
  const ended = once(watched, 'exit');
  bench.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
  // The folder of the server is removed by the server's own guard.
  expect(existsSync(cluster)).toBe(true);
  rmSync(cluster, { recursive: true });
  while (existsSync(directory)) await systemClock.sleep(20);
  expect(forgotten.exitCode ?? forgotten.signalCode).toBeNull();
  forgotten.kill();
});
