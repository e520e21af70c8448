// The image of the Dockerfile, built and run as docs/deploying.md says. TEST_IMAGE names one that is built already, NODE_IMAGE
// another base.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays } from '../../src/core/weeks.ts';
import { docker, missingBecause } from '../support/container-engine.ts';
import { freePort } from '../support/free-port.ts';
import { expectExactlyServed } from '../support/served-rows.ts';
import { SHIPPED } from '../support/shipped-files.ts';
import { createTestStack, type TestStack } from '../support/test-stack.ts';
import { until } from '../support/wait.ts';
import { jobsSince, newestWeek } from '../support/weekly-jobs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MINUTE = 60_000;
const MAX_OWN_BYTES = 100 * 1024 * 1024;
const WEEKS = 2;
// On whatever day this runs: by the usual schedule the newest week is not expected before its Monday.
const JOBS = jobsSince(addDays(newestWeek(), -7 * (WEEKS - 1)), { rankings: 'keyword_rankings' });
const WITHOUT_PRIVILEGES = ['--cap-drop=ALL', '--security-opt=no-new-privileges', '--memory=512m', '--pids-limit=256', '--volume=/tmp'];

const missing = await missingBecause('version', '--format', '{{.Server.Version}}');
if (missing) console.log(`skipped: no container engine is here (${missing}); install docker and set DOCKER_HOST`);

describe.skipIf(missing !== undefined)('the image', { timeout: 15 * MINUTE }, () => {
  let image = process.env.TEST_IMAGE ?? '';
  const containers: string[] = [];
  let stack: TestStack;

  beforeAll(async () => {
    if (image !== '') return;
    image = `searchmill-test:${randomBytes(4).toString('hex')}`;
    await docker(['build', '--quiet', '--build-arg=NODE_IMAGE', `--tag=${image}`, ROOT]);
  }, 20 * MINUTE);
  afterAll(async () => {
    if (process.env.TEST_IMAGE === undefined) await docker(['image', 'rm', '--force', image]);
  });
  beforeEach(async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
  });
  afterEach(async () => {
    for (const id of containers.splice(0)) await docker(['rm', '--force', '--volumes', id]);
    await stack.close();
  });

  const inspect = async (format: string, name = image): Promise<unknown> =>
    JSON.parse(await docker(['inspect', `--format={{json ${format}}}`, name]));
  const listFiles = async (): Promise<string[]> =>
    (await docker(['run', '--rm', '--entrypoint=find', image, '/app', '-type', 'f'])).split('\n');

  /** Starts `searchmill start` in a container on this machine's network. Returns its id and the address of its pages. */
  async function start(...options: readonly string[]): Promise<{ id: string; address: string }> {
    const port = await freePort();
    const variables = { ...stack.env, SEARCHMILL_CONFIG: '/app/jobs.config.yaml', OPS_HOST: '127.0.0.1', OPS_PORT: `${port}` };
    const id = await docker([
      ...['run', '--detach', '--network=host', `--volume=${stack.folder}/jobs.config.yaml:/app/jobs.config.yaml:ro`],
      ...['--health-interval=1s', ...WITHOUT_PRIVILEGES, ...options],
      ...Object.entries(variables).map(([name, value]) => `--env=${name}=${value}`),
      image,
    ]);
    containers.push(id);
    return { id, address: `http://127.0.0.1:${port}` };
  }

  const published = () =>
    until('all weeks', async () => {
      const slices = await stack.read('SELECT FROM searchmill.slices WHERE published_at IS NOT NULL');
      return slices.length === WEEKS;
    });

  it('runs as an ordinary user with a numeric id, listens on one port, and is labelled with what it is', async () => {
    expect(await inspect('.Config')).toMatchObject({
      User: '1000:1000',
      ExposedPorts: { '9464/tcp': {} },
      Entrypoint: ['node', '--max-semi-space-size=2', '--single-threaded-gc', 'dist/main.js'],
      Cmd: ['start'],
      Labels: { 'org.opencontainers.image.title': 'searchmill', 'org.opencontainers.image.licenses': 'MIT' },
    });
    expect(await docker(['run', '--rm', '--read-only', image, '--version'])).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('has only the packages of production, no sources, and no file that could hold a secret', async () => {
    const files = await listFiles();
    const { devDependencies, optionalDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Record<string, object>;
    const packages = new Set(files.map((path) => /^\/app\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]));
    // Types come with a package of production that names them.
    const surplus = Object.keys({ ...devDependencies, ...optionalDependencies }).filter((name) => !name.startsWith('@types/'));
    expect(surplus.filter((name) => packages.has(name))).toEqual([]);
    const own = files.filter((path) => !path.startsWith('/app/node_modules/')).map((path) => path.split('/')[2]);
    expect(new Set(own)).toEqual(new Set(['container-health.mjs', ...SHIPPED]));
    expect(files.filter((path) => !path.includes('/node_modules/') && /\/\.(npmrc|env)|\.(pem|key|p12)$/.test(path))).toEqual([]);
    expect(await docker(['history', '--no-trunc', '--format={{.CreatedBy}}', image])).not.toMatch(/TOKEN|PASSWORD|SECRET/i);
  });

  it('adds less than 100 MB to its base', async () => {
    const layers = (await docker(['history', '--human=false', '--format={{.Size}}\t{{.CreatedBy}}', image])).split('\n');
    const own = layers.slice(
      0,
      layers.findIndex((layer) => /ENV NODE_ENV=production/.test(layer)),
    );
    expect(own.reduce((bytes, layer) => bytes + Number.parseInt(layer, 10), 0)).toBeLessThan(MAX_OWN_BYTES);
  });

  it('loads on a read-only file system, says that it is healthy and ready, and ends within its time when it is asked to', async () => {
    const { id, address } = await start('--read-only');
    await until('the container to be healthy', async () => (await inspect('.State.Health.Status', id)) === 'healthy');
    await until('it to be ready', async () => (await fetch(`${address}/readyz`)).ok);
    await published();
    await docker(['stop', '--time=15', id]);
    expect(await inspect('.State', id)).toMatchObject({ ExitCode: 0, OOMKilled: false });
    expect(await expectExactlyServed(stack)).toHaveLength(WEEKS);
  });

  it('writes nothing outside /tmp even where it may', async () => {
    const { id } = await start();
    await published();
    await docker(['stop', '--time=15', id]);
    expect(await docker(['diff', id])).toBe('');
  });
});
