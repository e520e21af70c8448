import { createLogger, type Logger } from '../../src/core/log.ts';

/** A log whose lines are kept, each a JSON object. */
export function recordLog(level: 'debug' | 'warn' = 'debug'): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  return { log: createLogger({ level, format: 'json', destination: { write: (line: string) => void lines.push(line) } }), lines };
}
