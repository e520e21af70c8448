// The folder of this package, for files that it reads at run time: migrations, boards, its version.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const PACKAGE_FILE = createRequire(import.meta.url).resolve('#package.json');

/** The path of a file or folder of the package, such as `migrations`. The same from src/ and from dist/. */
export function packagePath(name: string): string {
  return join(PACKAGE_FILE, '..', name);
}
