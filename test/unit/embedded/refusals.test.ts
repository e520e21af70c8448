import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findBinaries } from '../../../embedded/binaries.ts';
import { startEmbeddedPostgres } from '../../../embedded/postgres.ts';
import { chooseServerUser } from '../../../embedded/server-user.ts';

const isUserNamed = vi.hoisted(() => ({ value: true }));
vi.mock('node:os', async (original) => {
  const os = await original<typeof import('node:os')>();
  const userInfo = () => {
    if (!isUserNamed.value) throw new Error('uv_os_get_passwd returned ENOENT');
    return os.userInfo();
  };
  return { ...os, userInfo };
});

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'searchmill-refusal-'));
});

afterEach(() => {
  vi.restoreAllMocks();
  isUserNamed.value = true;
  rmSync(directory, { recursive: true, force: true });
});

function pretendToBeOn(property: 'arch' | 'platform', value: string): () => void {
  const original = Object.getOwnPropertyDescriptor(process, property) as PropertyDescriptor;
  Object.defineProperty(process, property, { ...original, value });
  return () => Object.defineProperty(process, property, original);
}

describe('the embedded Postgres says what to do instead', () => {
  it('when there are no binaries for this machine', () => {
    const undo = pretendToBeOn('arch', 'sparc');
    expect(findBinaries).toThrow(/no embedded Postgres for .*-sparc.*DATABASE_URL/);
    undo();
  });

  it('on Windows', () => {
    const undo = pretendToBeOn('platform', 'win32');
    expect(findBinaries).toThrow(/Linux and macOS only.*DATABASE_URL/);
    undo();
  });

  it('when the user has no name', () => {
    vi.spyOn(process, 'getuid').mockReturnValue(4242);
    isUserNamed.value = false;
    expect(() => chooseServerUser(directory)).toThrow(/user id 4242 has no entry in \/etc\/passwd.*DATABASE_URL/);
  });

  it('when its folder cannot be made', async () => {
    writeFileSync(join(directory, 'file'), '');
    const impossible = join(directory, 'file', 'postgres');
    await expect(startEmbeddedPostgres({ directory: impossible })).rejects.toThrow(`the folder ${impossible} for Postgres cannot be made`);
  });
});
