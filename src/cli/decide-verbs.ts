// searchmill approve and discard: what happens to a slice that the audit holds.
import { Command } from 'commander';
import { ConfigurationError } from '../core/errors.ts';
import { approveHeld, discardHeld } from '../warehouse/endings.ts';
import { createPool, type Pool } from '../warehouse/pool.ts';
import { parseCount } from './arguments.ts';
import { requireMigrated } from './require-migrated.ts';
import { type GlobalOptions, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';

export function approveVerb(terminal: Terminal): Command {
  return decideVerb(terminal, 'approve', 'publish a held slice in spite of the audit', async (pool, slice) => {
    if (!(await approveHeld(pool, slice))) return false;
    terminal.print(`Slice ${slice} is approved; a running worker publishes it within seconds.`);
    return true;
  });
}

export function discardVerb(terminal: Terminal): Command {
  return decideVerb(terminal, 'discard', 'drop the rows of a held slice; what was published before stays', async (pool, slice) => {
    if (!(await discardHeld(pool, slice))) return false;
    terminal.print(`Slice ${slice} is discarded; it is asked for again when its schedule next fires, or by "searchmill run".`);
    return true;
  });
}

function decideVerb(
  terminal: Terminal,
  name: string,
  description: string,
  decide: (pool: Pool, slice: number) => Promise<boolean>,
): Command {
  return new Command(name)
    .description(description)
    .argument('<slice>', 'number of the slice, as "searchmill status" shows it', parseCount)
    .addHelpText('after', `\nExample:\n  searchmill ${name} 17`)
    .action(async (slice: number, _: unknown, command: Command) => {
      const pool = createPool(requireDatabase(readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>())), {
        applicationName: `searchmill ${name}`,
        max: 1,
      });
      try {
        await requireMigrated(pool);
        if (!(await decide(pool, slice))) throw new ConfigurationError(`slice ${slice} is not held; "searchmill status" shows which are`);
      } finally {
        await pool.end();
      }
    });
}
