// npm run test:postgres -- <major version> [files]: runs the tests that need servers on that Postgres version from npm's packages. It includes all of
// integration, long, waiting and chaos, so that a new file needs no entry; files named after the version limit the run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../embedded/postgres.ts';
import { ConfigurationError } from '../src/core/errors.ts';
import { installPostgres } from './postgres/versions.ts';

const [major, ...chosen] = process.argv.slice(2);

async function testOn(): Promise<number> {
  const binaries = installPostgres(major);
  const directory = await mkdtemp(join(tmpdir(), 'searchmill-postgres-'));
  const server = await startEmbeddedPostgres({ directory, binaries, isDurable: false, isKept: false });
  try {
    console.log(`PostgreSQL ${binaries.version}`);
    const projects = ['integration', 'long', 'waiting', 'chaos'].flatMap((name) => ['--project', name]);
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...chosen];
    const tests = spawn(process.execPath, vitest, { stdio: 'inherit', env: { ...process.env, TEST_DATABASE_URL: server.url } });
    const [code] = (await once(tests, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await testOn();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
