import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, withLock } from '../../../embedded/lock.ts';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'searchmill-lock-'));
  path = join(directory, 'lock');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function pidOfEndedProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

describe('the lock', () => {
  it('lets one process after the other work, and is gone afterwards', async () => {
    let working = 0;
    const results = await Promise.all(
      [1, 2, 3].map((turn) =>
        withLock(path, async () => {
          expect(++working).toBe(1);
          await new Promise(setImmediate);
          working--;
          return turn;
        }),
      ),
    );
    expect(results).toEqual([1, 2, 3]);
    expect(existsSync(path)).toBe(false);
  });

  it('is taken over from a dead process by one of several at a time', async () => {
    symlinkSync(String(pidOfEndedProcess()), path);
    let working = 0;
    const work = async () => {
      expect(++working).toBe(1);
      await new Promise(setImmediate);
      working--;
    };
    await Promise.all([withLock(path, work), withLock(path, work)]);
    expect(existsSync(`${path}.takeover`)).toBe(false);
  });

  it('is released when the work fails', async () => {
    await expect(withLock(path, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(withLock(path, async () => 'next')).resolves.toBe('next');
  });
});

describe('isAlive', () => {
  it('tells a living process from one that is gone', () => {
    expect(isAlive(process.pid)).toBe(true);
    expect(isAlive(pidOfEndedProcess())).toBe(false);
  });
});
