// The command `docker`, and whether an engine answers it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The network of builds, which fetch packages: another than the engine's own where that reaches nothing outside. */
export const BUILD_NETWORK = process.env.TEST_BUILD_NETWORK ?? 'default';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs `docker` and returns what it wrote. Throws with its standard error. `env` is added to that of this process. */
export async function docker(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)('docker', [...args], {
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...process.env, ...env },
  });
  return stdout.trim();
}

/** Why `docker` with these words cannot be used, or undefined where it can. */
export async function missingBecause(...args: readonly string[]): Promise<string | undefined> {
  try {
    await docker(args);
    return undefined;
  } catch (error) {
    const [said = 'it ended with an error'] = error instanceof Error ? error.message.trim().split('\n').slice(-1) : [];
    return `"docker ${args.join(' ')}" does not work here: ${said}`;
  }
}
