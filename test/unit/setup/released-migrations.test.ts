// What a release has of migrations is frozen from its tag on: a ledger that it made is taken by every later one. Views and functions
// (migrations/repeatable) are applied anew, and may change.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = 'migrations';
const RELEASE = /^v\d+\.\d+\.\d+$/;
const folder = mkdtempSync(join(tmpdir(), 'searchmill-released-'));
afterAll(() => rmSync(folder, { recursive: true }));

function git(repository: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Migrations of releases that are no more as they were, each with the tag. None where there is no repository, as in a package. */
function changedMigrations(repository: string): string[] {
  let tags: string[];
  try {
    tags = git(repository, 'tag', '--list')
      .split('\n')
      .filter((tag) => RELEASE.test(tag));
  } catch {
    return [];
  }
  const now = new Map(
    readdirSync(join(repository, FOLDER))
      .filter((file) => file.endsWith('.sql'))
      .map((file) => [file, readFileSync(join(repository, FOLDER, file), 'utf8')]),
  );
  return tags.flatMap((tag) =>
    git(repository, 'ls-tree', '--name-only', tag, `${FOLDER}/`)
      .split('\n')
      .filter((path) => path.endsWith('.sql'))
      .filter((path) => now.get(path.slice(FOLDER.length + 1)) !== git(repository, 'show', `${tag}:${path}`))
      .map((path) => `${path} of ${tag}`),
  );
}

it('names a migration that was edited or removed after its release, and none that was added', () => {
  mkdirSync(join(folder, FOLDER, 'repeatable'), { recursive: true });
  for (const file of ['0001_a.sql', '0002_b.sql', 'repeatable/01_c.sql']) writeFileSync(join(folder, FOLDER, file), `-- ${file}\n`);
  git(folder, 'init', '--quiet');
  const commit = () => git(folder, '-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message=a release');
  git(folder, 'add', '.');
  commit();
  appendFileSync(join(folder, FOLDER, '0001_a.sql'), '-- before the tag\n');
  expect(changedMigrations(folder)).toEqual([]);
  git(folder, 'add', '.');
  commit();
  git(folder, 'tag', 'v1.0.0');
  writeFileSync(join(folder, FOLDER, '0003_d.sql'), '-- new\n');
  appendFileSync(join(folder, FOLDER, 'repeatable/01_c.sql'), '-- changed\n');
  expect(changedMigrations(folder)).toEqual([]);
  appendFileSync(join(folder, FOLDER, '0001_a.sql'), '-- after the tag\n');
  rmSync(join(folder, FOLDER, '0002_b.sql'));
  expect(changedMigrations(folder)).toEqual(['migrations/0001_a.sql of v1.0.0', 'migrations/0002_b.sql of v1.0.0']);
});

it('migrations are as every release has them', () => {
  expect(changedMigrations(ROOT)).toEqual([]);
});
