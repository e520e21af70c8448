// Disks that are soon full, for tests of what happens then.
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';

/** Why no small disk can be mounted here; undefined where it can. */
export function whyNoSmallDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount a small disk';
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'this machine lets nobody mount a disk';
  }
}
