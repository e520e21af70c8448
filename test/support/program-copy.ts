// A copy of the built program as its package has it, for tests that must not share its folder.
import { chmod, cp, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Returns its folder, where what it starts is kept. Who asks for it removes it. */
export async function copyProgram(): Promise<string> {
  await ensureBuilt();
  const folder = await mkdtemp(join(tmpdir(), 'searchmill-copy-'));
  // The server's own user must be able to go there.
  await chmod(folder, 0o755);
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  const published = ['package.json', ...files.filter((path) => !path.startsWith('!'))];
  await Promise.all(published.map((path) => cp(join(ROOT, path), join(folder, path), { recursive: true })));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
