// Biome really enforces the table of imports. A small project is written in which every folder imports every other, and Biome
// must complain about exactly the imports that the table does not allow.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAY_IMPORT } from '../../scripts/documents/import-rules.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');

const FOLDERS = Object.keys(MAY_IMPORT);

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'searchmill-architecture-'));
  for (const file of ['biome.json', 'biome.imports.json']) copyFileSync(join(ROOT, file), join(project, file));
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
}

/** Runs Biome on the small project; the files it complains about, by the rule asked for. */
function filesAgainst(rule: string): Set<string> {
  const flags = ['lint', `--only=${rule}`, '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', 'src'];
  const { stdout } = spawnSync(process.execPath, [BIOME, ...flags], { cwd: project, encoding: 'utf8' });
  return new Set([...stdout.matchAll(/^::error .*\bfile=([^,]+)/gm)].map(([, file]) => relative(realpathSync(project), file ?? '')));
}

describe('the folders of src', () => {
  it('are all in the table of imports', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(new Set(folders.map((entry) => entry.name))).toEqual(new Set(FOLDERS));
  });

  it('import each other only as the table says, from nested folders and as types, too', () => {
    const forbidden: string[] = [];
    for (const from of FOLDERS) {
      for (const to of FOLDERS.filter((folder) => folder !== from)) {
        write(`src/${from}/to-${to}.ts`, `import { value } from '../${to}/own.ts';\nconsole.log(value);\n`);
        write(`src/${from}/nested/to-${to}.ts`, `import type { Value } from '../../${to}/deep/own.ts';\nexport type Same = Value;\n`);
        if (!MAY_IMPORT[from]?.includes(to)) forbidden.push(`src/${from}/nested/to-${to}.ts`, `src/${from}/to-${to}.ts`);
      }
      write(`src/${from}/to-main.ts`, "export { run } from '../main.ts';\n");
      forbidden.push(`src/${from}/to-main.ts`);
    }
    expect(filesAgainst('style/noRestrictedImports')).toEqual(new Set(forbidden));
  });

  it('let the sandbox know the wire of the service and nothing else of it', () => {
    write('src/sandbox/wire.ts', "import { PATHS } from '../service/wire.ts';\nconsole.log(PATHS);\n");
    write('src/sandbox/nested/wire.ts', "import { PATHS } from '../../service/wire.ts';\nconsole.log(PATHS);\n");
    write('src/sandbox/client.ts', "import { Client } from '../service/client.ts';\nconsole.log(Client);\n");
    expect(filesAgainst('style/noRestrictedImports')).toEqual(new Set(['src/sandbox/client.ts']));
  });

  it('leave BullMQ to the queue', () => {
    for (const folder of FOLDERS) write(`src/${folder}/uses.ts`, "import { Queue } from 'bullmq';\nconsole.log(Queue);\n");
    const others = FOLDERS.filter((folder) => folder !== 'queue').map((folder) => `src/${folder}/uses.ts`);
    expect(filesAgainst('style/noRestrictedImports')).toEqual(new Set(others));
  });

  it('leave the environment to the executable', () => {
    write('src/main.ts', 'console.log(process.env);\n');
    write('src/config/environment.ts', 'console.log(process.env);\n');
    expect(filesAgainst('style/noProcessEnv')).toEqual(new Set(['src/config/environment.ts']));
  });

  it.each(['import', 'import type'])('have no circle of %s', (how) => {
    write('src/core/one.ts', `${how} { Two } from './two.ts';\nexport type One = Two[];\n`);
    write('src/core/two.ts', `${how} { One } from './one.ts';\nexport type Two = One | string;\n`);
    write('src/core/three.ts', `${how} { One } from './one.ts';\nexport type Three = One;\n`);
    expect(filesAgainst('suspicious/noImportCycles')).toEqual(new Set(['src/core/one.ts', 'src/core/two.ts']));
  });
});
