// Logs: one line per state change, with job, window and execution on it. JSON where machines read, pretty on a terminal.
import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

/** `json` for machines, `coloured` for a terminal, `plain` for people reading a file. `destination` is for json. */
export type LogOptions = Readonly<{ level: string; format: 'json' | 'plain' | 'coloured'; destination?: DestinationStream }>;

export function createLogger(options: LogOptions): Logger {
  const destination =
    options.format === 'json'
      ? (options.destination ?? pino.destination({ sync: true }))
      : pretty({
          colorize: options.format === 'coloured',
          translateTime: 'SYS:HH:MM:ss',
          ignore: 'pid,hostname,instance',
          singleLine: true,
          sync: true,
        });
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    destination,
  );
}

/** Standard error, for logs beside results. */
export function standardError(): DestinationStream {
  return pino.destination({ fd: 2, sync: true });
}

/** A logger that says nothing. */
export const silentLogger: Logger = pino({ level: 'silent' });
