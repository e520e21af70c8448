// The outside world of a verb: the environment, output streams, whether a person is watching, and the signal to stop.
// Only src/main.ts touches the process itself.

import { loadEnvironment } from '../config/environment.ts';
import { loadJobsConfig } from '../config/jobs-config.ts';
import type { Environment, JobsConfig } from '../config/settings.ts';
import { ConfigurationError } from '../core/errors.ts';
import { createLogger, type Logger, type LogOptions } from '../core/log.ts';
import type { Secret } from '../core/secret.ts';

/** Exit codes of every verb. */
export const EXIT = { done: 0, someFailed: 1, usage: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Terminal {
  readonly env: Variables;
  /** Results: what a person or a script asked for. */
  print(text: string): void;
  /** Exactly this text to standard output, such as a frame of a live display. */
  write(text: string): void;
  /** Everything else: warnings, errors. */
  warn(text: string): void;
  /** True when standard output is a terminal: progress is drawn, tables are coloured. */
  readonly isInteractive: boolean;
  /** Asks a person a question; true for yes. Undefined if nobody can answer. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** Columns and lines of the terminal, as they are now. */
  readonly width: number;
  readonly height: number;
  /** Aborted by the first Ctrl-C or SIGTERM, or by SIGHUP without a listener. */
  readonly stopping: AbortSignal;
  /** From then on SIGHUP does not stop, but calls the listener, unless the terminal is gone. */
  readonly onHangUp?: (listener: () => void) => void;
}

export type GlobalOptions = Readonly<{ config?: string }>;

/** The environment, with --config applied. Throws ConfigurationError. */
export function readEnvironment(terminal: Terminal, options: GlobalOptions): Environment {
  const environment = loadEnvironment(terminal.env);
  return options.config === undefined ? environment : { ...environment, configPath: options.config };
}

/** The jobs, with warnings shown. Throws ConfigurationError. */
export function readConfig(
  terminal: Terminal,
  environment: Environment,
  variables: Variables = terminal.env,
  onWarning: (warning: string) => void = () => undefined,
): JobsConfig {
  const { config, warnings } = loadJobsConfig(environment.configPath, variables);
  for (const warning of warnings) {
    terminal.warn(`warning: ${warning}`);
    onWarning(warning);
  }
  return config;
}

/** Throws ConfigurationError when there is no database to work with. */
export function requireDatabase(environment: Environment): Secret {
  if (!environment.databaseUrl) {
    throw new ConfigurationError(
      'environment: DATABASE_URL: is not set; set it to your Postgres database, such as postgres://user:password@host:5432/warehouse, or try "searchmill demo", which needs none',
    );
  }
  return environment.databaseUrl;
}

/** Prints the result for a script: one object, indented. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.print(JSON.stringify(value, undefined, 2));
}

/** One readable line per event on a terminal, with colours unless NO_COLOR (https://no-color.org) is set; JSON elsewhere. */
export function logFormatFor({ isInteractive, env }: Pick<Terminal, 'isInteractive' | 'env'>): LogOptions['format'] {
  if (!isInteractive) return 'json';
  return env.NO_COLOR ? 'plain' : 'coloured';
}

/** Logs for long-running verbs. */
export function openLog(terminal: Terminal, environment: Environment, onLost?: () => void): Logger {
  return createLogger({ level: environment.logLevel, format: logFormatFor(terminal), ...(onLost && { onLost }) });
}
