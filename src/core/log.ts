// Logs: one line per state change, with job, window and execution on it. JSON where machines read, one readable line on a terminal.
import { type DestinationStream, type Logger, pino } from 'pino';
import { escapeInvisible } from './invisible.ts';
import { LineWriter, type Write } from './line-writer.ts';
import { asTyped } from './own-command.ts';
import { readableLines } from './readable-line.ts';

export type { Logger };

export type LogOptions = Readonly<{
  level: string;
  /** `json` for machines, `coloured` for a terminal, `plain` for people reading a file. */
  format: 'json' | 'plain' | 'coloured';
  /** A file descriptor, standard output where none is given, or a function that writes to one; or a stream that takes JSON lines unchanged. */
  destination?: number | Write | DestinationStream;
  /** Called for each line that could not be written. */
  onLost?: () => void;
}>;

/** A logger that survives any failure of its destination. */
export function createLogger({ level, format, destination = 1, onLost = () => {} }: LogOptions): Logger {
  const written = format === 'json' ? escapeInvisible : readableLines(format === 'coloured');
  const lines =
    typeof destination === 'number' || typeof destination === 'function'
      ? new LineWriter(destination, { format: (line) => asTyped(written(line)), onLost })
      : destination;
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } }, lines);
}

/** A logger that writes nothing. */
export const silentLogger: Logger = pino({ level: 'silent' });
