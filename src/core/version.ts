// The version of this release, from package.json.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packagePath } from './package-folder.ts';

export const VERSION = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packagePath('package.json'), 'utf8'))).version;
