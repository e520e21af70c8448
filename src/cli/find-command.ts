// The command with which a reader of this process's output would run it again.
import { basename, delimiter, dirname, relative } from 'node:path';
import { COMMAND } from '../core/own-command.ts';
import type { Variables } from './terminal.ts';

type Started = Readonly<{ env: Variables /** Of the program, as it was called. */; script: string; folder: string }>;

/**
 * `SEARCHMILL_COMMAND` if it is set, as in containers, whose output is read outside; `npx searchmill`; the installed `searchmill`;
 * else node with the path from here.
 */
export function findCommand({ env, script, folder }: Started): string {
  const given = env.SEARCHMILL_COMMAND;
  if (given && COMMAND.test(given)) return given;
  // Not by npm_command: every process that npx starts passes it on.
  if (/[/\\]node_modules[/\\]\.bin[/\\]searchmill$/.test(script)) return 'npx searchmill';
  const path = (env.PATH ?? '').split(delimiter);
  if (basename(script) === 'searchmill' && path.includes(dirname(script))) return 'searchmill';
  const near = relative(folder, script);
  const shown = near.length < script.length ? near : script;
  return `${shown.endsWith('.ts') ? 'npx tsx' : 'node'} ${/^[\w./@:+-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`}`;
}
