// Biome really enforces the table of imports. A small project is written in which every folder imports every other, and Biome
// must complain about exactly the imports that the table does not allow.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BESIDE_SRC, DOORS, MAY_IMPORT, pathOf } from '../../scripts/documents/import-rules.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');

const FOLDERS = Object.keys(MAY_IMPORT);

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'searchmill-architecture-'));
  for (const file of ['biome.json', 'biome.imports.json', 'biome-deadlines.grit']) copyFileSync(join(ROOT, file), join(project, file));
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
}

/** Runs Biome on the small project; the files it complains about, by the rule asked for; else by any. */
function filesAgainst(rule?: string): Set<string> {
  const only = rule === undefined ? [] : [`--only=${rule}`];
  const flags = ['lint', ...only, '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', '.'];
  const { stdout } = spawnSync(process.execPath, [BIOME, ...flags], { cwd: project, encoding: 'utf8' });
  return new Set([...stdout.matchAll(/^::error .*\bfile=([^,]+)/gm)].map(([, file]) => relative(realpathSync(project), file ?? '')));
}

/** How a file in one folder names another file. */
function specifier(from: string, to: string): string {
  const path = relative(from, to);
  return path.startsWith('.') ? path : `./${path}`;
}

describe('the folders of src and beside it', () => {
  it('are all in the table of imports', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(new Set([...folders.map((entry) => entry.name), ...BESIDE_SRC])).toEqual(new Set(FOLDERS));
  });

  it('import each other only as the table says, from nested folders and as types, too', () => {
    const forbidden: string[] = [];
    for (const from of FOLDERS) {
      for (const to of FOLDERS.filter((folder) => folder !== from)) {
        const path = relative(pathOf(from), pathOf(to));
        write(`${pathOf(from)}/to-${to}.ts`, `import { value } from '${path}/own.ts';\nconsole.log(value);\n`);
        write(`${pathOf(from)}/nested/to-${to}.ts`, `import type { Value } from '../${path}/deep/own.ts';\nexport type Same = Value;\n`);
        if (!MAY_IMPORT[from]?.includes(to)) forbidden.push(`${pathOf(from)}/nested/to-${to}.ts`, `${pathOf(from)}/to-${to}.ts`);
      }
      write(`${pathOf(from)}/to-main.ts`, `export { run } from '${relative(pathOf(from), 'src/main.ts')}';\n`);
      forbidden.push(`${pathOf(from)}/to-main.ts`);
    }
    expect(filesAgainst('style/noRestrictedImports')).toEqual(new Set(forbidden));
  });

  it('let the sandbox import the wire format of the service and nothing else of it', () => {
    write('sandbox/wire.ts', "import { PATHS } from '../src/service/wire.ts';\nconsole.log(PATHS);\n");
    write('sandbox/nested/wire.ts', "import { PATHS } from '../../src/service/wire.ts';\nconsole.log(PATHS);\n");
    write('sandbox/client.ts', "import { Client } from '../src/service/client.ts';\nconsole.log(Client);\n");
    expect(filesAgainst('style/noRestrictedImports')).toEqual(new Set(['sandbox/client.ts']));
  });

  it('may use folders beside src by their doors only, and only from the command line', () => {
    const doors = MAY_IMPORT.cli?.filter((path) => BESIDE_SRC.some((folder) => path.startsWith(`${folder}/`))) ?? [];
    expect(doors.map((path) => path.split('/')[0])).toEqual(BESIDE_SRC);
    for (const [at, door] of doors.entries()) {
      write(`src/cli/door-${at}.ts`, `import { start } from '../../${door}';\nconsole.log(start);\n`);
      write(`src/cli/checks/door-${at}.ts`, `import { start } from '../../../${door}';\nconsole.log(start);\n`);
      write(`src/queue/door-${at}.ts`, `import { start } from '../../${door}';\nconsole.log(start);\n`);
    }
    expect(filesAgainst('style/noRestrictedImports')).toEqual(new Set(doors.map((_, at) => `src/queue/door-${at}.ts`)));
  });

  it('use a folder that has a door through that door', () => {
    const refused: string[] = [];
    for (const { folder, door } of DOORS) {
      write(`src/${folder}/part.ts`, "import { other } from './other.ts';\nconsole.log(other);\n");
      for (const from of [dirname(folder), 'cli']) {
        const name = folder.replace('/', '-');
        write(`src/${from}/${name}-door.ts`, `import { open } from '${specifier(from, door)}';\nconsole.log(open);\n`);
        write(`src/${from}/${name}-part.ts`, `import { part } from '${specifier(from, `${folder}/part.ts`)}';\nconsole.log(part);\n`);
        refused.push(`src/${from}/${name}-part.ts`);
      }
    }
    expect(filesAgainst('style/noRestrictedImports')).toEqual(new Set(refused));
  });

  it('leave BullMQ to the backend of the queue', () => {
    write('src/queue/backend/uses.ts', "import { Queue } from 'bullmq';\nconsole.log(Queue);\n");
    for (const folder of FOLDERS) write(`${pathOf(folder)}/uses.ts`, "import { Queue } from 'bullmq';\nconsole.log(Queue);\n");
    expect(filesAgainst('style/noRestrictedImports')).toEqual(new Set(FOLDERS.map((folder) => `${pathOf(folder)}/uses.ts`)));
  });

  it('leave the environment to the executable', () => {
    write('src/main.ts', 'console.log(process.env);\n');
    write('src/config/environment.ts', 'console.log(process.env);\n');
    write('embedded/environment.ts', 'console.log(process.env);\n');
    expect(filesAgainst('style/noProcessEnv')).toEqual(new Set(['src/config/environment.ts', 'embedded/environment.ts']));
  });

  it('set time limits in one way only, which works on Node 20', () => {
    write('src/core/alone.ts', 'export const late = AbortSignal.timeout(5);\n');
    write('src/core/joined.ts', 'export const first = (signals: AbortSignal[]): AbortSignal => AbortSignal.any(signals);\n');
    write('src/core/right.ts', "import { openDeadline } from './deadline.ts';\nexport const late = openDeadline(5);\n");
    expect(filesAgainst()).toEqual(new Set(['src/core/alone.ts', 'src/core/joined.ts']));
  });

  it.each(['import', 'import type'])('have no circle of %s', (how) => {
    write('src/core/one.ts', `${how} { Two } from './two.ts';\nexport type One = Two[];\n`);
    write('src/core/two.ts', `${how} { One } from './one.ts';\nexport type Two = One | string;\n`);
    write('src/core/three.ts', `${how} { One } from './one.ts';\nexport type Three = One;\n`);
    expect(filesAgainst('suspicious/noImportCycles')).toEqual(new Set(['src/core/one.ts', 'src/core/two.ts']));
  });

  it('keep no state in modules, so that two instances in one process share nothing', () => {
    // Results that are the same for everybody; how the process itself was started; and turns by pool, which belong to the pool.
    const remembered = [
      'codec/copy-rows.ts',
      'config/filters.ts',
      'config/meant-values.ts',
      'core/name-pattern.ts',
      'core/own-command.ts',
      'core/supervisor.ts',
      'dashboards/board-view.ts',
      'dashboards/measures.ts',
      'dashboards/run-panels.ts',
      'pipeline/expected-weeks.ts',
      'postgres/statements.ts',
      'postgres/transaction-turns.ts',
    ];
    const state =
      /^(?:export )?(?:let |const \w+(?:: [^=]+)? = (?:new (?:(?:Weak)?(?:Map|Set)(?:<.+>)?\(\)|\w*(?:Pool|Turns|Queue|Slots)\()|\[\];))/m;
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const isOfProcess = (file: string): boolean => file === 'main.ts' || file.startsWith('dashboards/browser/');
    const stateful = files.filter(
      (file) => /\.tsx?$/.test(file) && !isOfProcess(file) && state.test(readFileSync(join(ROOT, 'src', file), 'utf8')),
    );
    expect(stateful.sort()).toEqual(remembered);
  });

  it('measure and wait by the monotonic clock: the wall clock may be set back at any time', () => {
    // The time of day of a record, an id, a login or another clock; and the limiter, which turns Bottleneck's times into durations.
    const mayRead = [
      'cli/checks/database-checks.ts',
      'core/steady-limiter.ts',
      'dashboards/access.ts',
      'dashboards/password-attempts.ts',
      'ops/tracing.ts',
      'queue/doorbell.ts',
      'queue/reconciler.ts',
    ];
    const using = (folder: string, what: RegExp): string[] =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.startsWith('dashboards/browser/'))
        .filter((file) => what.test(readFileSync(join(ROOT, folder, file), 'utf8')))
        .sort();
    expect(using('src', /\bDate\.now\b/)).toEqual(mayRead);
    // The age of a file.
    expect(using('embedded', /\bDate\.now\b/)).toEqual(['lock.ts']);
    expect(using('sandbox', /\bDate\.now\b/)).toEqual([]);
    expect(using('src', /new Bottleneck\(/)).toEqual(['core/steady-limiter.ts']);
  });
});
