// npm run test:containers: builds and runs the Dockerfile, compose.yaml and the recipe of "init --with compose" with a Docker engine of its own, on
// images made of Debian's packages. Nothing is pulled. Needs root, dockerd, docker, debootstrap and, for the compose files, Compose 2.24 or newer.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../test/support/find-program.ts';
import { BASE_IMAGES, makeBaseArchive, makeBaseImages } from './containers/base-images.ts';
import { startPrivateEngine } from './containers/private-engine.ts';

/** All of it takes minutes; longer means that something hangs. */
const ENDS_WITHIN_MS = 30 * 60_000;
/** As compose.yaml names it. */
const IMAGE = 'searchmill';
const FILES = ['test/engines/image.test.ts', 'test/engines/compose.test.ts'];

const missing = ['dockerd', 'docker', 'debootstrap'].filter((name) => findProgram(name) === undefined);
if (process.getuid?.() !== 0) missing.push('root');
if (missing.length > 0) console.log(`skipped: ${missing.join(', ')} missing`);
else process.exitCode = await runTests();

async function runTests(): Promise<number> {
  const archive = makeBaseArchive(findProgram('debootstrap') ?? '');
  const engine = await startPrivateEngine(findProgram('dockerd') ?? '');
  const ofTests = { TEST_IMAGE: IMAGE, TEST_BUILD_NETWORK: 'host', TEST_ENGINES: '1' };
  const env = { ...process.env, ...BASE_IMAGES, ...ofTests, DOCKER_HOST: engine.address };
  const docker = (...words: readonly string[]): void => void execFileSync('docker', words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    makeBaseImages(archive, docker);
    docker('build', '--network=host', '--build-arg=NODE_IMAGE', `--tag=${IMAGE}`, '.');
    const given = process.argv.slice(2);
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'engines', '--no-file-parallelism'];
    const tests = spawn(process.execPath, [...vitest, ...(given.length > 0 ? given : FILES)], {
      stdio: 'inherit',
      env,
      timeout: ENDS_WITHIN_MS,
    });
    // Ctrl-C reaches the tests, too: they end, and then the engine does.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
    const [code] = (await once(tests, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await engine.stop();
  }
}
