// The package as npm gives it: installed into an empty folder by an ordinary user, who tries the demo, begins a project and starts the service.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { ensureBuilt } from '../../support/program.ts';
import { SHIPPED } from '../../support/shipped-files.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { until } from '../../support/wait.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Debian's nobody, where the tests run as root: those who install the package are not root. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const INSTALL_MS = 8 * 60_000;
/** A larger package has something in it that nobody needs. */
const MAX_PACKED_BYTES = 1_200_000;

let home: string;
let folder: string;
let packed: { filename: string; size: number; files: { path: string }[] };

beforeAll(async () => {
  await ensureBuilt();
  home = await mkdtemp(join(tmpdir(), 'searchmill-package-'));
  folder = await mkdtemp(join(home, 'empty-'));
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', home], { cwd: ROOT, maxBuffer: 16 << 20 });
  [packed] = JSON.parse(stdout) as [typeof packed];
  // Where its packages come from is the machine's own setting.
  await cp(join(process.env.HOME ?? '/root', '.npmrc'), join(home, '.npmrc')).catch(() => undefined);
  for (const path of [home, folder]) {
    await chmod(path, 0o755);
    if (isRoot) await chown(path, NOBODY, NOBODY);
  }
  if (isRoot) await chown(join(home, '.npmrc'), NOBODY, NOBODY).catch(() => undefined);
  // Without install scripts, as npm 12 does by itself.
  const { code, output } = await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', join(home, packed.filename)]);
  expect(output).toContain('added');
  // Overrides of package.json do not reach those who install the package.
  expect(output).not.toContain('EBADENGINE');
  expect(code).toBe(0);
}, INSTALL_MS);
afterAll(() => rm(home, { recursive: true, force: true }));

async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> {
  const program = start(command, args, env);
  return { code: await program.ended, output: program.output() };
}

type Program = Readonly<{ pid: number; output: () => string; ended: Promise<number | null> }>;

/** In a group of processes of its own, as a terminal starts it. */
function start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const { PATH = '' } = process.env;
  const child = spawn(command, args, { cwd: folder, env: { PATH, HOME: home, ...env }, detached: true, ...user });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { pid: child.pid ?? Number.NaN, output: () => output, ended };
}

describe('the package', () => {
  it('is small, and has what it needs and no more', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(packed.size).toBeLessThan(MAX_PACKED_BYTES);
    expect(new Set(paths.map((path) => path.split('/')[0]))).toEqual(
      new Set(['LICENSE', 'README.md', 'dbt', 'deploy', 'docs', 'ops', ...SHIPPED]),
    );
    expect(paths.filter((path) => /\.(map|tsbuildinfo)$|\.test\.|(^|\/)\.env/.test(path))).toEqual([]);
  });

  it('runs the demo, whose data is in the working folder and not in the package', async () => {
    const { code, output } = await run('npx', ['searchmill', 'demo', '--exit']);
    expect(output).toMatch(/Published \d+ windows with [\d,]+ rows\./);
    expect(code).toBe(0);
    expect(await readdir(folder)).toContain('.searchmill');
    expect(await readdir(join(folder, 'node_modules/searchmill'))).not.toContain('.searchmill');
  });

  it('begins a project, and never overwrites one', async () => {
    const { code, output } = await run('npx', ['searchmill', 'init']);
    expect(output).toContain('Next:');
    expect(code).toBe(0);
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['jobs.config.yaml', '.env.example', 'compose.yaml']));
    expect(output).not.toContain('cd ');
    expect((await run('npx', ['searchmill', 'init', 'elsewhere'])).output).toContain('1. cd elsewhere');
    await writeFile(join(folder, '.env.example'), 'mine');
    await rm(join(folder, 'compose.yaml'));
    const again = await run('npx', ['searchmill', 'init']);
    expect(again.code).toBe(2);
    expect(again.output).toContain('already has jobs.config.yaml, .env.example, so nothing was written');
    expect(await readFile(join(folder, '.env.example'), 'utf8')).toBe('mine');
    expect(await readdir(folder)).not.toContain('compose.yaml');
  });

  it.each(['systemd', 'compose', 'kubernetes', 'dbt', 'airflow', 'dagster'])(
    'writes the recipe for %s, and never overwrites it',
    async (recipe) => {
      const { code, output } = await run('npx', ['searchmill', 'init', 'recipes', '--with', recipe]);
      expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Next:') as string });
      const written = [...output.matchAll(/^wrote (.*)$/gm)].map(([, path = '']) => path);
      expect(written.length).toBeGreaterThan(0);
      for (const path of written) {
        expect(path.startsWith(`recipes/${recipe}/`)).toBe(true);
        const text = await readFile(join(folder, path), 'utf8');
        expect(text).not.toBe('');
        // What a file links to is written, too.
        const links = path.endsWith('.md') ? [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)] : [];
        for (const [, link = ''] of links) expect(existsSync(join(folder, dirname(path), link)), `${path}: ${link}`).toBe(true);
      }
      // What its next steps name is there, too.
      for (const [path] of output.matchAll(/node_modules\/\S+\.md/g)) expect(await readFile(join(folder, path), 'utf8')).not.toBe('');
      expect((await run('npx', ['searchmill', 'init', 'recipes', '--with', recipe])).output).toContain('so nothing was written');
    },
  );

  it('starts the service with the files that it began with, and ends it with Ctrl-C', async () => {
    const database = await createTestDatabase();
    const sandbox = await startSandbox({ port: 0, credentials: [{ token: 'package-token' }] });
    try {
      const env = { DATABASE_URL: database.url, SEARCH_API_URL: sandbox.url, SEARCH_API_TOKEN: 'package-token', OPS_PORT: '0' };
      expect(await run('npx', ['searchmill', 'migrate'], env)).toMatchObject({ code: 0 });
      const checked = await run('npx', ['searchmill', 'check'], env);
      expect(checked, checked.output).toMatchObject({ code: 0 });
      const service = start('npx', ['searchmill', 'start'], env);
      let hasEnded = false;
      const ended = service.ended.then(() => (hasEnded = true));
      try {
        await until('a week to be published', () => {
          if (hasEnded) throw new Error(`it ended:\n${service.output()}`);
          return service.output().includes('"published"');
        });
      } finally {
        // A terminal sends it to all that it started.
        process.kill(-service.pid, 'SIGINT');
        await ended;
      }
      expect(service.output()).toContain('dashboards, health and metrics');
    } finally {
      await sandbox.close();
      await database.drop();
    }
  });
});
