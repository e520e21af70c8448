// npm run test:dbt: runs the dbt package with the oldest and the newest dbt that it is promised for, each installed by pip into a folder of its own outside of
// the repository. Where there is no Python it is skipped.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DBT_VERSIONS } from '../test/dbt/versions.ts';

const FOLDER = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'searchmill', 'dbt');
const PYTHON = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';
/** A part of dbt 1.12 for dbt 2, which is built from a file on GitHub. Where that cannot be reached, dbt 1.12 works without it. */
const PARSER = 'dbt-core-experimental-parser';

/** What the wheels in a folder require, but for each other and the parser. */
const REQUIREMENTS = `
import glob, re, sys, zipfile
from email.parser import Parser
left_out = {'dbt-core', 'dbt-postgres', 'dbt-metricflow', '${PARSER}'}
for wheel in glob.glob(sys.argv[1] + '/*.whl'):
    files = zipfile.ZipFile(wheel)
    name = next(file for file in files.namelist() if file.endswith('.dist-info/METADATA'))
    for line in Parser().parsestr(files.read(name).decode()).get_all('Requires-Dist', []):
        if 'extra ==' not in line and re.split(r'[^A-Za-z0-9._-]', line)[0].lower() not in left_out:
            print(line)
`;

function run(program: string, args: readonly string[], isQuiet = false): { isDone: boolean; out: string } {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', isQuiet ? 'ignore' : 'inherit'] });
  return { isDone: status === 0, out: stdout };
}

function install(version: (typeof DBT_VERSIONS)[number]): boolean {
  const folder = join(FOLDER, version.dbt);
  const finished = join(folder, `installed-${version.postgres}-${version.metricflow}`);
  if (existsSync(finished)) return true;
  console.log(`Installing dbt ${version.dbt} into ${folder} (about a minute) ...`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  if (!run('python3', ['-m', 'venv', folder]).isDone) return false;
  const python = join(folder, 'bin', 'python');
  const pip = (...args: string[]) => run(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...args]).isDone;
  const packages = [`dbt-core==${version.dbt}`, `dbt-postgres==${version.postgres}`, `dbt-metricflow==${version.metricflow}`];
  const isInstalled =
    run(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', '--prefer-binary', ...packages], true).isDone ||
    installWithoutParser(python, pip, join(folder, 'wheels'), packages);
  if (isInstalled) writeFileSync(finished, '');
  return isInstalled;
}

function installWithoutParser(python: string, pip: (...args: string[]) => boolean, wheels: string, packages: readonly string[]): boolean {
  if (!pip('download', '--no-deps', '--dest', wheels, ...packages)) return false;
  console.log(`without ${PARSER}`);
  const { isDone, out } = run(python, ['-c', REQUIREMENTS, wheels]);
  const list = join(wheels, 'requirements.txt');
  writeFileSync(list, out);
  return (
    isDone &&
    pip('install', '--prefer-binary', '-r', list) &&
    pip('install', '--no-deps', '--no-index', '--find-links', wheels, ...packages)
  );
}

async function main(): Promise<number> {
  if (!run('python3', ['-c', PYTHON], true).isDone) {
    console.log('skipped: there is no python3 of 3.10 or later with venv and pip');
    return process.env.CI ? 2 : 0;
  }
  for (const version of DBT_VERSIONS) {
    if (install(version)) continue;
    console.error(`dbt ${version.dbt} could not be installed; pip says why above.`);
    return 2;
  }
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'dbt', ...process.argv.slice(2)];
  const tests = spawn(process.execPath, vitest, { stdio: 'inherit', env: { ...process.env, TEST_DBT: FOLDER } });
  const [code] = (await once(tests, 'exit')) as [number | null];
  return code ?? 1;
}

process.exitCode = await main();
