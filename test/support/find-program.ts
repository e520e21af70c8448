// Programs of this machine, also those that only administrators have in their PATH.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program, or undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find(existsSync);
}
