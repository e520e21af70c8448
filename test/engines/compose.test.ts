// The compose files with Compose 2.24 or newer, as README and docs/deploying.md say: compose.yaml, and the recipe of "init --with compose" with the
// package as npm packs it. POSTGRES_IMAGE, REDIS_IMAGE and NODE_IMAGE name other images. Each run has free ports.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadJobsConfig } from '../../src/config/jobs-config.ts';
import { addDays, lastCompleteWeek } from '../../src/core/weeks.ts';
import { visitBelow } from '../support/below-path.ts';
import { BUILD_NETWORK, docker, missingBecause } from '../support/container-engine.ts';
import { freePort } from '../support/free-port.ts';
import { ensureBuilt } from '../support/program.ts';
import { until } from '../support/wait.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MINUTE = 60_000;
const UP_MS = 10 * MINUTE;
/** Characters that mean something in addresses, in .env or in a shell. */
const PASSWORD = 'a$b#c"d@/:%41 ü';
const JOBS = loadJobsConfig(`${ROOT}demo/jobs.config.yaml`, {}).config.jobs.length;

const missing = (await missingBecause('compose', 'version')) ?? (await missingBecause('version', '--format', '{{.Server.Version}}'));
if (missing) console.log(`skipped: Compose 2 is not here (${missing}); install it and set DOCKER_HOST`);

type Project = Readonly<{
  compose: (...words: readonly string[]) => Promise<string>;
  /** Counts weeks that should be there. */
  count: (what: string) => Promise<number>;
}>;

/** The commands for a compose file, with a second file that changes it for the test. */
function createProject(name: string, folder: string, changes: string, env: Readonly<Record<string, string>>): Project {
  const files = [`--file=${join(folder, 'compose.yaml')}`, `--file=${changes}`];
  const compose = (...words: readonly string[]): Promise<string> =>
    docker(['compose', `--project-directory=${folder}`, `--project-name=${name}`, ...files, ...words], env);
  const psql = ['exec', '-T', 'postgres', 'psql', '--username=searchmill', '--tuples-only', '--no-align'];
  const count = async (what: string): Promise<number> =>
    Number(await compose(...psql, `--command=SELECT count(${what}) FROM searchmill.coverage WHERE is_expected`));
  return { compose, count };
}

const onlyOn = (port: number): string => `ports: !override ["127.0.0.1:${port}:9464"]`;

/** Everything that the pages link to, asked for on this machine; returns what is not served. */
async function refusedPages(port: number, password: string): Promise<unknown> {
  const found = await visitBelow(`http://127.0.0.1:${port}`, '', password);
  expect([...found.keys()]).toEqual(expect.arrayContaining(['/', '/boards/rankings']));
  // A form sends its orders there; it is no page.
  return [...found].filter(([path, status]) => status !== 200 && path !== '/operations/actions');
}

describe.skipIf(missing !== undefined)('compose.yaml', { timeout: 20 * MINUTE }, () => {
  let folder: string;
  let project: Project;
  let port: number;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'searchmill-compose-'));
    port = await freePort();
    const ports = { POSTGRES_PORT: `${await freePort()}`, SANDBOX_PORT: `${await freePort()}` };
    const changes = ['worker-1', 'worker-2'].map((name) => `  ${name}: { ports: !reset [] }\n`).join('');
    await writeFile(join(folder, 'changes.yaml'), `services:\n${changes}  scheduler: { ${onlyOn(port)} }\n`);
    project = createProject('searchmill-test', ROOT, join(folder, 'changes.yaml'), { ...ports, POSTGRES_PASSWORD: PASSWORD });
  });
  afterAll(async () => {
    await project.compose('down', '--volumes', '--timeout=15');
    await rm(folder, { recursive: true });
  }, 5 * MINUTE);

  it('starts, with any characters in the password of the database, and loads every week', async () => {
    const { compose, count } = project;
    await compose('--profile=grafana', 'config', '--quiet');
    await compose('up', '--detach', ...(process.env.TEST_IMAGE === 'searchmill' ? ['--no-build'] : ['--build']));
    await until('weeks of every job to be expected', async () => (await count('DISTINCT job')) === JOBS, UP_MS);
    await until('all weeks to be published', async () => (await count(`nullif(state, 'published')`)) === 0, UP_MS);
    const running = (await compose('ps', '--services', '--status=running')).split('\n');
    expect(new Set(running)).toEqual(new Set(['postgres', 'redis', 'sandbox', 'scheduler', 'worker-1', 'worker-2']));
  });

  it('shows the boards on this machine, with the password that it says', async () => {
    expect(await refusedPages(port, 'searchmill')).toEqual([]);
  });

  it('ends a worker in its time', async () => {
    // A worker that never ran would also have the exit code 0.
    const look = (): Promise<string> => project.compose('ps', '--all', '--format={{.State}} {{.ExitCode}}', 'worker-1');
    expect(await look()).toBe('running 0');
    await project.compose('stop', 'worker-1');
    expect(await look()).toBe('exited 0');
  });
});

describe.skipIf(missing !== undefined)('the recipe of "init --with compose"', { timeout: 20 * MINUTE }, () => {
  const TOKEN = 'recipe-token';
  let home: string;
  let folder: string;
  let project: Project;
  let port: number;
  const run = (command: string, ...words: string[]) => promisify(execFile)(command, words, { cwd: home, maxBuffer: 16 << 20 });

  beforeAll(async () => {
    await ensureBuilt();
    home = await mkdtemp(join(tmpdir(), 'searchmill-recipe-'));
    folder = join(home, 'compose');
    port = await freePort();
    const changes = join(home, 'changes.yaml');
    project = createProject('searchmill-recipe', folder, changes, { SEARCH_API_TOKEN: TOKEN });
    // The service is a sandbox beside it, of the same image.
    const sandbox = `{ image: searchmill-recipe, pull_policy: never, command: [sandbox, --host, 0.0.0.0, --token, ${TOKEN}] }`;
    const own = `image: searchmill-recipe, build: { network: "${BUILD_NETWORK}" }`;
    await writeFile(
      changes,
      `services: { migrate: { ${own} }, searchmill: { ${own}, ${onlyOn(port)}, depends_on: [sandbox] }, sandbox: ${sandbox} }\n`,
    );
  }, 5 * MINUTE);
  afterAll(async () => {
    await project.compose('down', '--volumes', '--timeout=15');
    if (missing === undefined) await docker(['image', 'rm', '--force', 'searchmill-recipe']);
    await rm(home, { recursive: true });
  }, 5 * MINUTE);

  it('is written by the package in an empty folder, and loads with the values of .env, those of notify included', async () => {
    const { stdout: packed } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', home], { cwd: ROOT });
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    await run('npm', 'install', '--ignore-scripts', '--omit=optional', join(home, filename));
    await run('npx', 'searchmill', 'init');
    await run('npx', 'searchmill', 'init', '--with', 'compose');
    const jobs = (await readFile(join(home, 'jobs.config.yaml'), 'utf8'))
      .replace('auth: {', 'allow_http: true\n    auth: {')
      // The newest week is not expected before its Monday.
      .replace(/since: \S+/, `since: ${addDays(lastCompleteWeek(new Date(), 'UTC', 'sunday'), -7)}`)
      // The example of notify, whose addresses come from the environment.
      .replaceAll(/^# ((?:notify:| {2}(?:pages|targets):| {4}(?:ops|analysts):).*)$/gm, '$1');
    expect(jobs).toMatch(/^ {4}ops: .*SLACK_WEBHOOK.*\n {4}analysts: .*SMTP_URL/m);
    await writeFile(join(folder, 'jobs.config.yaml'), jobs);
    const given = { SEARCHMILL: `./${filename}`, SEARCH_API_URL: 'http://sandbox:4010', SEARCH_API_TOKEN: TOKEN };
    const notify = { SLACK_WEBHOOK: 'https://hooks.example.com/secret', SMTP_URL: 'smtps://mail.example.com' };
    // What .env has for this machine does not move the port of a container.
    const secrets = { POSTGRES_PASSWORD: `'${PASSWORD}'`, OPS_PASSWORD: `'${PASSWORD}'`, OPS_HOST: '127.0.0.1', OPS_PORT: '9999' };
    const lines = Object.entries({ ...given, ...notify, ...secrets }).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(folder, '.env'), lines.join(''), { mode: 0o600 });
    await copyFile(join(home, filename), join(folder, filename));
    await chmod(join(folder, 'jobs.config.yaml'), 0o644);
    await project.compose('up', '--build', '--detach');
    await until('weeks to be expected', async () => (await project.count('*')) > 0, UP_MS);
    await until('all weeks to be published', async () => (await project.count(`nullif(state, 'published')`)) === 0, UP_MS);
  });

  it('shows the boards on this machine, with the password of .env', async () => {
    expect(await refusedPages(port, PASSWORD)).toEqual([]);
  });

  it('has nothing of .env in its image, and runs as an ordinary user', async () => {
    const inImage = (...words: string[]): Promise<string> =>
      docker(['run', '--rm', `--entrypoint=${words[0]}`, 'searchmill-recipe', ...words.slice(1)]);
    expect(await inImage('id', '-u')).toBe('1000');
    const files = await inImage('find', '/app', '-maxdepth', '1', '-type', 'f', '-printf', '%f\n');
    expect(files).not.toMatch(/\.env|jobs\.config/);
    expect(await docker(['history', '--no-trunc', 'searchmill-recipe'])).not.toContain(TOKEN);
  });

  it('ends in its time', async () => {
    await project.compose('stop', 'searchmill');
    expect(await project.compose('ps', '--all', '--format={{.State}} {{.ExitCode}}', 'searchmill')).toBe('exited 0');
  });
});
