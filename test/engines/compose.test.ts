// compose.yaml with Compose 2: everything comes up, loads, survives the end of a worker, and goes down. POSTGRES_IMAGE, REDIS_IMAGE
// and NODE_IMAGE name other images, TEST_IMAGE=searchmill says that ours is built; the ports of compose.yaml must be free.
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { loadJobsConfig } from '../../src/config/jobs-config.ts';
import { docker, missingBecause } from '../support/container-engine.ts';
import { until } from '../support/wait.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MINUTE = 60_000;
const UP_MS = 10 * MINUTE;
const PROJECT = 'searchmill-test';
const JOBS = loadJobsConfig(`${ROOT}demo/jobs.config.yaml`, {}).config.jobs.length;
const compose = (...words: readonly string[]): Promise<string> =>
  docker(['compose', `--project-directory=${ROOT}`, `--project-name=${PROJECT}`, ...words]);

const missing = (await missingBecause('compose', 'version')) ?? (await missingBecause('version', '--format', '{{.Server.Version}}'));
if (missing) console.log(`skipped: Compose 2 is not here (${missing}); install it and set DOCKER_HOST`);

describe.skipIf(missing !== undefined)('compose.yaml', { timeout: 20 * MINUTE }, () => {
  afterAll(() => compose('down', '--volumes', '--timeout=15'), 5 * MINUTE);

  /** `what` is counted of the weeks that should be there. */
  const count = async (what: string): Promise<number> =>
    Number(
      await compose(
        ...['exec', '-T', 'postgres', 'psql', '--username=searchmill', '--tuples-only', '--no-align'],
        `--command=SELECT count(${what}) FROM searchmill.coverage WHERE is_expected`,
      ),
    );

  it('starts under Docker Compose, and loads every week', async () => {
    await compose('--profile=grafana', 'config', '--quiet');
    await compose('up', '--detach', ...(process.env.TEST_IMAGE === 'searchmill' ? ['--no-build'] : ['--build']));
    await until('weeks of every job to be expected', async () => (await count('DISTINCT job')) === JOBS, UP_MS);
    await until('all weeks to be published', async () => (await count(`nullif(state, 'published')`)) === 0, UP_MS);
    const running = (await compose('ps', '--services', '--status=running')).split('\n');
    expect(new Set(running)).toEqual(new Set(['postgres', 'redis', 'sandbox', 'scheduler', 'worker-1', 'worker-2']));
  });

  it('ends a worker in its time', async () => {
    // A worker that never ran would also have the exit code 0.
    const look = (): Promise<string> => compose('ps', '--all', '--format={{.State}} {{.ExitCode}}', 'worker-1');
    expect(await look()).toBe('running 0');
    await compose('stop', 'worker-1');
    expect(await look()).toBe('exited 0');
  });
});
