// The user of the command line, as recorded with decisions.
import { hostname, userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { onOneLine } from '../core/invisible.ts';
import { type Actor, LONGEST_REASON } from '../ledger/actions.ts';

/** `user@host`; the user's number if it has no name. */
export function actorOfProcess(reason?: string): Actor {
  return { name: `${userName()}@${hostname()}`, reason };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** For --reason. */
export function parseReason(text: string): string {
  const line = onOneLine(text);
  if ([...line].length > LONGEST_REASON) throw new InvalidArgumentError(`Expected at most ${LONGEST_REASON} characters.`);
  return line;
}
