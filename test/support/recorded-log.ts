import { appendFileSync } from 'node:fs';
import { createLogger, type Logger } from '../../src/core/log.ts';

/** A log whose lines are kept, each a JSON object. With STACK_LOG=file they also go there, for those who look for a failure. */
export function recordLog(level: 'debug' | 'warn' = 'debug'): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
    if (process.env.STACK_LOG) appendFileSync(process.env.STACK_LOG, line);
  };
  return { log: createLogger({ level, format: 'json', destination: { write } }), lines };
}
