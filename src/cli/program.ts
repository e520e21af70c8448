// The command line: one verb per file. Turns whatever happens into an exit code and a message that helps.
import { Command, CommanderError } from 'commander';
import { CancelledError, ConfigurationError, describeError, SearchmillError } from '../core/errors.ts';
import { checkVerb } from './check-verb.ts';
import { approveVerb, discardVerb } from './decide-verbs.ts';
import { demoVerb } from './demo-verb.ts';
import { historyVerb } from './history-verb.ts';
import { migrateVerb } from './migrate-verb.ts';
import { quarantineVerb } from './quarantine-verb.ts';
import { backfillVerb, runVerb } from './run-verb.ts';
import { sandboxVerb } from './sandbox-verb.ts';
import { startVerb } from './start-verb.ts';
import { statusVerb } from './status-verb.ts';
import { EXIT, type Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

/** Runs one verb. Returns the exit code; never rejects. */
export async function runCommandLine(terminal: Terminal, args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  const setExitCode = (code: number): void => {
    exitCode = code;
  };
  const program = new Command('searchmill')
    .description("Keeps your Postgres complete and exact with a company's weekly search-visibility data.")
    .version(VERSION)
    .option('-c, --config <file>', 'jobs file (SEARCHMILL_CONFIG, else jobs.config.yaml)')
    .addHelpText(
      'after',
      `
Settings from the environment: DATABASE_URL, REDIS_URL (optional),
SEARCHMILL_CONFIG, SEARCHMILL_TAKEOVER_SECONDS, LOG_LEVEL, OPS_HOST, OPS_PORT.
Exit codes: 0 done, 1 some work failed, 2 usage or configuration.

Examples:
  searchmill demo               see it work: no account, no server needed
  searchmill check              is everything set up?
  searchmill start --migrate    run the service
  searchmill status             what is there, what is missing and why`,
    );
  const verbs = [
    demoVerb(terminal, setExitCode),
    checkVerb(terminal, setExitCode),
    migrateVerb(terminal),
    startVerb(terminal),
    runVerb(terminal, setExitCode),
    backfillVerb(terminal, setExitCode),
    statusVerb(terminal),
    historyVerb(terminal),
    approveVerb(terminal),
    discardVerb(terminal),
    quarantineVerb(terminal),
    sandboxVerb(terminal),
  ];
  for (const command of [program, ...verbs, ...verbs.flatMap((verb) => verb.commands)]) {
    command
      .exitOverride()
      .showHelpAfterError('(--help shows how it is used)')
      .configureHelp({ showGlobalOptions: true })
      .configureOutput({ writeOut: (text) => terminal.print(text.trimEnd()), writeErr: (text) => terminal.warn(text.trimEnd()) });
  }
  for (const verb of verbs) program.addCommand(verb);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(terminal, error);
  }
}

function explain(terminal: Terminal, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof CancelledError || terminal.stopping.aborted) {
    terminal.warn('Stopped. What is under way goes on when Searchmill runs again.');
    return EXIT.someFailed;
  }
  // A configuration error lists its mistakes on lines of their own.
  terminal.warn(error instanceof ConfigurationError ? error.message : describeError(error));
  if (!(error instanceof SearchmillError) && error instanceof Error && terminal.env.LOG_LEVEL === 'debug') terminal.warn(error.stack ?? '');
  return error instanceof ConfigurationError ? EXIT.usage : EXIT.someFailed;
}
