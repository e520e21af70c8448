// Programs of Python's packages, for tests that run other people's tools: each environment is made once, by pip, and kept between runs.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/searchmill-python', import.meta.url));

/** Whether there is a python3 of 3.10 or later with venv and pip. Where it is not, such tests are skipped; with `CI` set that is an error. */
export const hasPython = spawnSync('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']).status === 0;
if (!hasPython) {
  if (process.env.CI) throw new Error('there is no python3 of 3.10 or later with venv and pip');
  console.warn('skipped: there is no python3 of 3.10 or later with venv and pip');
}

/**
 * The folder of the programs of an environment with these packages (`name==version`). What they need themselves comes in its newest versions, or in those
 * of `constraints`, the address of a list. It is installed on first use and when the list changes. Throws with what pip says.
 */
export function pythonPrograms(name: string, packages: readonly string[], constraints?: string): string {
  const folder = join(CACHE, name);
  const finished = join(folder, 'installed');
  const wanted = [...packages, ...(constraints === undefined ? [] : ['-c', constraints])];
  const programs = join(folder, 'bin');
  if (existsSync(finished) && readFileSync(finished, 'utf8') === wanted.join('\n')) return programs;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  execFileSync('python3', ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--prefer-binary'];
  execFileSync(join(programs, 'python'), [...pip, ...wanted], { stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(finished, wanted.join('\n'));
  return programs;
}
