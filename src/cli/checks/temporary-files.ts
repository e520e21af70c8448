// Room for large answers, which go through temporary files. The free space of Postgres is not checked: only its machine knows it.
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describeRemedy, ENOUGH_ROOM_MIB } from '../../codec/body-sink.ts';
import { MEBIBYTE } from '../../core/byte-sizes.ts';
import type { Finding } from './checks.ts';

export async function checkTemporaryFiles(folder = tmpdir()): Promise<Finding> {
  const outcome = `answers that fit neither there nor in memory are refused; ${describeRemedy(folder)}`;
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const freeMib = Math.floor((bavail * bsize) / MEBIBYTE);
    if (freeMib >= ENOUGH_ROOM_MIB) return `${freeMib} MiB are free in ${folder} for large answers`;
    return { warning: `only ${freeMib} MiB are free in ${folder}, and one large answer may take 256: ${outcome}` };
  } catch {
    return { warning: `no file can be created in ${folder}, so there is no room for large answers: ${outcome}` };
  }
}
