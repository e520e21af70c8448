// The release before this one, built from the history, so that its processes can run beside those of this one.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Its last commit. */
export const PREVIOUS_RELEASE = '2ebaade6d12e47c242d7d406f4704ba5d4e16d0c';
/** The first migration that it lacks. */
export const FIRST_MIGRATION_SINCE = '0030_distributed_tables';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NEEDED = ['src', 'dashboards', 'migrations', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

const run = promisify(execFile);

/** Whether the history has it: that of a tarball, or of a shallow clone, does not. */
export async function hasPreviousRelease(): Promise<boolean> {
  return run('git', ['cat-file', '-e', `${PREVIOUS_RELEASE}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
}

export type PreviousRelease = Readonly<{
  /** Its executable. */
  main: string;
  remove(): Promise<void>;
}>;

/** Builds it in a folder of its own, with the packages of this release: those that both use are of the same versions. */
export async function buildPreviousRelease(): Promise<PreviousRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'searchmill-previous-'));
  const release = join(folder, 'release');
  await mkdir(release);
  await run('git', ['archive', '-o', join(folder, 'release.tar'), PREVIOUS_RELEASE, ...NEEDED], { cwd: ROOT });
  await run('tar', ['-xf', join(folder, 'release.tar'), '-C', release]);
  await symlink(join(ROOT, 'node_modules'), join(release, 'node_modules'));
  await run(process.execPath, ['scripts/build.cjs'], { cwd: release });
  return { main: join(release, 'dist/main.js'), remove: () => rm(folder, { recursive: true }) };
}
