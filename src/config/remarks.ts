// Remarks about a location in the configuration: mistakes, which are all collected before anything is thrown, and
// warnings, which are returned beside the settings.
import { ConfigurationError } from '../core/errors.ts';

/** Keys and list positions from the top of the file to a value. */
export type Path = readonly (string | number)[];

/** Counted from 1. */
export type Position = Readonly<{ line: number; column: number }>;

/** One sentence about one location; never contains a credential or the value of a variable. */
export type Remark = Readonly<{
  position: Position;
  path: Path;
  text: string;
  /** Whether it is about a variable that is not set, or whose file cannot be read. */
  lacksVariable?: boolean;
}>;

/** `jobs[0].filters.max_rank` */
export function formatPath(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

/** Whether a value is a mapping: neither a scalar, nor a list, nor nothing. */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of plain objects and arrays, or undefined. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    return (value as Record<string | number, unknown>)[step];
  }, root);
}

/** The mapping at a path; an empty one if there is something else. */
export function mappingAt(root: unknown, path: Path): Readonly<Record<string, unknown>> {
  const value = valueAt(root, path);
  return isMapping(value) ? value : {};
}

/**
 * `file:line:column: path: text`, sorted by position. A value that an alias or merge key copies to many locations was written once,
 * and is reported once: for the first location.
 */
export function formatRemarks(file: string, remarks: readonly Remark[]): string[] {
  const sorted = [...remarks].sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column);
  const lines = new Map<string, string>();
  for (const { position, path, text } of sorted) {
    const location = `${file}:${position.line}:${position.column}`;
    const key = JSON.stringify([location, path.at(-1), text]);
    if (!lines.has(key)) lines.set(key, path.length === 0 ? `${location}: ${text}` : `${location}: ${formatPath(path)}: ${text}`);
  }
  return [...lines.values()];
}

/** Mistakes that one error lists. More than a person corrects at once, and little enough for a log, a status and a message. */
const MAX_LISTED = 100;

/** One error for all mistakes; `lines` are ready to read. */
export function configurationErrorOf(subject: string, lines: readonly string[]): ConfigurationError {
  const count = lines.length === 1 ? 'one mistake' : `${lines.length} mistakes`;
  const more = lines.length > MAX_LISTED ? [`and ${lines.length - MAX_LISTED} more`] : [];
  return new ConfigurationError(`${subject} has ${count}:\n${[...lines.slice(0, MAX_LISTED), ...more].join('\n')}`);
}
