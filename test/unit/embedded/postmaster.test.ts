import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterFiles, clusterFilesIn } from '../../../embedded/cluster.ts';
import { findPostmaster } from '../../../embedded/postmaster.ts';

let files: ClusterFiles;

beforeEach(() => {
  files = clusterFilesIn(mkdtempSync(join(tmpdir(), 'searchmill-postmaster-')));
  mkdirSync(files.cluster);
});

afterEach(() => rmSync(files.directory, { recursive: true, force: true }));

function writePidFile(content: string): string {
  const path = join(files.cluster, 'postmaster.pid');
  writeFileSync(path, content);
  return path;
}

describe('the server of a cluster', () => {
  it('is not running when its file is missing', () => {
    expect(findPostmaster(files)).toBeUndefined();
  });

  it('is starting while its file is still empty, and the file is left alone', () => {
    const path = writePidFile('');
    expect(findPostmaster(files)).toMatchObject({ status: '' });
    expect(existsSync(path)).toBe(true);
  });

  it('is gone when the process named in its file is gone', () => {
    writePidFile(`${spawnSync(process.execPath, ['--version']).pid}\n${files.cluster}\n1\n5432\n\n127.0.0.1\n\nready\n`);
    expect(findPostmaster(files)).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('is gone when the process named in its file is another program', () => {
    writePidFile(`${process.pid}\n${files.cluster}\n1\n5432\n\n127.0.0.1\n\nready\n`);
    expect(findPostmaster(files)).toBeUndefined();
  });
});
