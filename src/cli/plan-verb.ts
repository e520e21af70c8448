// searchmill plan: short for run --dry-run --scheduled.
import { load } from './run-verb.ts';
import type { GlobalOptions, Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

export function planVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  return new Verb('plan')
    .description('show what a start would load now, and what it costs; the same as "run --dry-run --scheduled"')
    .argument('[job...]', 'jobs; default: all')
    .option('--json', 'as JSON, with every window')
    .more(`Examples:
  searchmill plan
  searchmill plan acme-rankings --json

"searchmill run --help" says what is shown.`)
    .action(async (names: string[], _: unknown, command: Verb) => {
      const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
      setExitCode(await load(terminal, { ...options, dryRun: true, scheduled: true }, names));
    });
}
