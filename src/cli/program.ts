// The command line: one verb per file. Turns every outcome into an exit code and a helpful message.

import { type Command, CommanderError } from 'commander';
import { CancelledError, ConfigurationError, SearchmillError } from '../core/errors.ts';
import type { VerbName } from '../core/own-command.ts';
import { VERSION } from '../core/version.ts';
import { explainFailure } from './explain-failure.ts';
import { EXIT, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

type OpenVerb = (terminal: Terminal, setExitCode: (code: number) => void) => Promise<Command>;

/** In the order of the help. Each verb is imported only when used: "status" does not need the sandbox. */
const VERBS: Readonly<Record<VerbName, OpenVerb>> = {
  demo: async (...given) => (await import('./demo-verb.ts')).demoVerb(...given),
  init: async (terminal) => (await import('./init-verb.ts')).initVerb(terminal),
  check: async (...given) => (await import('./check-verb.ts')).checkVerb(...given),
  probe: async (...given) => (await import('./probe-verb.ts')).probeVerb(...given),
  migrate: async (terminal) => (await import('./migrate-verb.ts')).migrateVerb(terminal),
  login: async (terminal) => (await import('./login-verb.ts')).loginVerb(terminal),
  distribute: async (terminal) => (await import('./distribute-verb.ts')).distributeVerb(terminal),
  undistribute: async (terminal) => (await import('./distribute-verb.ts')).undistributeVerb(terminal),
  plan: async (...given) => (await import('./plan-verb.ts')).planVerb(...given),
  start: async (terminal) => (await import('./start-verb.ts')).startVerb(terminal),
  run: async (...given) => (await import('./run-verb.ts')).runVerb(...given),
  backfill: async (...given) => (await import('./run-verb.ts')).backfillVerb(...given),
  dashboards: async (terminal) => (await import('./dashboards-verb.ts')).dashboardsVerb(terminal),
  mcp: async (terminal) => (await import('./mcp-verb.ts')).mcpVerb(terminal),
  status: async (terminal, setExitCode) => (await import('./status-verb.ts')).statusVerb(terminal, setExitCode),
  verify: async (...given) => (await import('./verify-verb.ts')).verifyVerb(...given),
  history: async (terminal) => (await import('./history-verb.ts')).historyVerb(terminal),
  signals: async (terminal) => (await import('./signals-verb.ts')).signalsVerb(terminal),
  note: async (terminal) => (await import('./note-verb.ts')).noteVerb(terminal),
  approve: async (terminal) => (await import('./decide-verbs.ts')).approveVerb(terminal),
  discard: async (terminal) => (await import('./decide-verbs.ts')).discardVerb(terminal),
  cancel: async (terminal) => (await import('./cancel-verb.ts')).cancelVerb(terminal),
  forget: async (...given) => (await import('./forget-verb.ts')).forgetVerb(...given),
  promote: async (terminal) => (await import('./promote-verb.ts')).promoteVerb(terminal),
  pause: async (terminal) => (await import('./pause-verbs.ts')).pauseVerb(terminal),
  resume: async (terminal) => (await import('./pause-verbs.ts')).resumeVerb(terminal),
  acknowledge: async (terminal) => (await import('./acknowledge-verb.ts')).acknowledgeVerb(terminal),
  quarantine: async (terminal) => (await import('./quarantine-verb.ts')).quarantineVerb(terminal),
  notify: async (...given) => (await import('./notify-verb.ts')).notifyVerb(...given),
  reports: async (...given) => (await import('./reports-verb.ts')).reportsVerb(...given),
  export: async (terminal) => (await import('./export-verb.ts')).exportVerb(terminal),
  sandbox: async (terminal) => (await import('./sandbox-verb.ts')).sandboxVerb(terminal),
};

/** The verb that is called, if it is the first word; else all, for the help and for suggestions. */
function openVerbs(args: readonly string[], ...given: Parameters<OpenVerb>): Promise<Command[]> {
  if (args[0] === '--version' || args[0] === '-V') return Promise.resolve([]);
  const [, called] = Object.entries<OpenVerb>(VERBS).find(([name]) => name === args[0]) ?? [];
  return Promise.all((called ? [called] : Object.values(VERBS)).map((open) => open(...given)));
}

/** Runs one verb. Returns the exit code; never rejects. */
export async function runCommandLine(terminal: Terminal, args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  const setExitCode = (code: number): void => {
    exitCode = code;
  };
  const program = new Verb('searchmill')
    .description("Keeps your Postgres complete and exact with a company's weekly search-visibility data.")
    .version(VERSION)
    .option('-c, --config <file>', 'jobs file (SEARCHMILL_CONFIG, else jobs.config.yaml)')
    .more(`Settings from the environment: DATABASE_URL, REDIS_URL (optional),
SEARCHMILL_CONFIG, SEARCHMILL_COMMAND, SEARCHMILL_TAKEOVER_SECONDS, LOG_LEVEL,
OPS_HOST, OPS_PORT, OPS_PASSWORD, OPS_TRUSTED_PROXIES; HTTPS_PROXY, HTTP_PROXY,
NO_PROXY; OTEL_EXPORTER_OTLP_ENDPOINT.
Exit codes: 0 done, 1 some work failed, 2 usage or configuration.

Examples:
  searchmill demo               see it work: no account, no server needed
  searchmill check              is everything set up?
  searchmill start --migrate    run the service
  searchmill dashboards         look at the data in a browser
  searchmill status             what is there, what is missing and why`);
  const verbs = await openVerbs(args, terminal, setExitCode);
  for (const command of [program, ...verbs, ...verbs.flatMap((verb) => verb.commands)]) {
    command
      .exitOverride()
      .showHelpAfterError('(see --help)')
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
    terminal.warn('Stopped. Running loads continue when Searchmill runs again.');
    return EXIT.someFailed;
  }
  // A configuration error lists its mistakes on lines of their own.
  terminal.warn(error instanceof ConfigurationError ? error.message : explainFailure(error));
  if (!(error instanceof SearchmillError) && error instanceof Error && terminal.env.LOG_LEVEL === 'debug') terminal.warn(error.stack ?? '');
  return error instanceof ConfigurationError ? EXIT.usage : EXIT.someFailed;
}
