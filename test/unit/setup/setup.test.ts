import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPTS = fileURLToPath(new URL('../../../scripts/', import.meta.url));
const load = createRequire(import.meta.url);
const { arePackagesCurrent } = load(`${SCRIPTS}setup/packages.cjs`) as { arePackagesCurrent: (root: string) => boolean };
const { isBuildCurrent, digestSources } = load(`${SCRIPTS}setup/build.cjs`) as {
  isBuildCurrent: (root: string) => boolean;
  digestSources: (root: string) => string;
};
const { withLock } = load(`${SCRIPTS}setup/lock.cjs`) as {
  withLock: <T>(root: string, work: (lock: { share: (pid: number) => void }) => Promise<T>) => Promise<T>;
};

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'searchmill-setup-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}

type Packages = Record<string, Record<string, unknown>>;

function arePackagesCurrentFor(wanted: Packages, installed: Packages | string | undefined): boolean {
  write('package-lock.json', JSON.stringify({ packages: { '': { name: 'root' }, ...wanted } }));
  if (installed !== undefined) {
    write('node_modules/.package-lock.json', typeof installed === 'string' ? installed : JSON.stringify({ packages: installed }));
  }
  return arePackagesCurrent(root);
}

describe('the packages are current', () => {
  const one = { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-a' } };

  it('when npm finished an installation of exactly these', () => {
    expect(arePackagesCurrentFor(one, one)).toBe(true);
  });

  it('without the optional packages of other platforms', () => {
    expect(arePackagesCurrentFor({ ...one, 'node_modules/other': { version: '1.0.0', optional: true } }, one)).toBe(true);
  });

  it.each<[string, Packages | string | undefined]>([
    ['nothing is installed', undefined],
    ['the mark of the installation was cut short', '{"packages": {'],
    ['a package is missing', {}],
    ['a package has another version', { 'node_modules/one': { version: '1.0.1', integrity: 'sha512-a' } }],
    ['a package has another content', { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-b' } }],
    ['a package is no longer wanted', { ...one, 'node_modules/two': { version: '1.0.0' } }],
    ['a package is for another platform', { 'node_modules/one': { ...one['node_modules/one'], os: ['plan9'] } }],
    ['a package is for any platform but this', { 'node_modules/one': { ...one['node_modules/one'], cpu: [`!${process.arch}`] } }],
  ])('not when %s', (_, installed) => {
    expect(arePackagesCurrentFor(one, installed)).toBe(false);
  });
});

describe('the build is current', () => {
  beforeEach(() => {
    for (const file of ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/setup/build.cjs']) write(file, file);
    write('src/main.ts', 'one');
    write('src/publishing/sql/publish.sql', 'select 1');
    write('sandbox/server.ts', 'one');
    write('embedded/postgres.ts', 'one');
    write('dist/.sources', digestSources(root));
  });

  it('while no source changes', () => {
    expect(isBuildCurrent(root)).toBe(true);
  });

  it.each([
    ['a source', 'src/main.ts'],
    ['a statement', 'src/publishing/sql/publish.sql'],
    ['the sandbox', 'sandbox/server.ts'],
    ['the embedded Postgres', 'embedded/postgres.ts'],
    ['a compiler setting', 'tsconfig.json'],
    ['the compiler', 'package-lock.json'],
  ])('not when %s changed', (_, path) => {
    write(path, 'changed');
    expect(isBuildCurrent(root)).toBe(false);
  });

  it('not when a file was renamed', () => {
    rmSync(join(root, 'src/main.ts'));
    write('src/program.ts', 'one');
    expect(isBuildCurrent(root)).toBe(false);
  });

  it('not when there is none', () => {
    rmSync(join(root, 'dist'), { recursive: true });
    expect(isBuildCurrent(root)).toBe(false);
  });
});

describe('the lock of the set-up', () => {
  const pidOfEndedProcess = () => spawnSync(process.execPath, ['--version']).pid;
  const lockFile = () => join(root, '.searchmill', 'setup.lock');

  it('names every process that works under it, and is gone afterwards', async () => {
    const during = await withLock(root, async (lock) => {
      lock.share(12345);
      return readFileSync(lockFile(), 'utf8');
    });
    expect(during).toBe(`${process.pid}\n12345\n`);
    expect(() => readFileSync(lockFile())).toThrow('ENOENT');
  });

  it('is taken over when all its processes are gone', async () => {
    write('.searchmill/setup.lock', `${pidOfEndedProcess()}\n${pidOfEndedProcess()}\n`);
    await expect(withLock(root, async () => 'done')).resolves.toBe('done');
  });

  it('is respected while one of its processes lives, such as the npm of a killed set-up', async () => {
    write('.searchmill/setup.lock', `${pidOfEndedProcess()}\n${process.pid}\n`);
    let hasStarted = false;
    const waiting = withLock(root, async () => {
      hasStarted = true;
    });
    await new Promise(setImmediate);
    expect(hasStarted).toBe(false);
    rmSync(lockFile());
    await waiting;
    expect(hasStarted).toBe(true);
  });
});

describe('a script that may not install', () => {
  it('asks the user to run npm ci when packages are missing, and changes nothing', () => {
    cpSync(SCRIPTS, join(root, 'scripts'), { recursive: true });
    write('package-lock.json', JSON.stringify({ packages: { 'node_modules/one': { version: '1.0.0' } } }));
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/setup.cjs'), '--no-install'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'The packages are not those of package-lock.json: run npm ci\n' });
    expect(readdirSync(root).sort()).toEqual(['package-lock.json', 'scripts']);
  });
});

describe('an old Node', () => {
  it('is told in one sentence which version is needed', () => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.18.3' }); require(${JSON.stringify(`${SCRIPTS}setup.cjs`)});`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', pretend], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toBe('Searchmill needs Node 20.19 or newer, and this is Node 20.18.3: install a newer one from https://nodejs.org\n');
  });

  it('can read the script that tells it', () => {
    const source = readFileSync(`${SCRIPTS}setup.cjs`, 'utf8').replaceAll(/^\/\/.*$/gm, '');
    expect(source).not.toMatch(/\b(const|let|class|async|await|import)\b|=>|`|\.\.\.|\?\?|\?\.|,\s*\)|node:/);
  });
});
