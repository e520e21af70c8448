// JSON that JSON.stringify cannot write: a place is held for it by a text, which becomes the JSON itself at the end.
import { randomUUID } from 'node:crypto';

const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}:(deep|zeros):(\\d+)"`, 'g');
const MIB = 1024 * 1024;

/** Arrays in arrays, so many levels of them. */
export function deepJson(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** Stands for arrays in arrays until `writeRaw`. */
export function holdDeep(levels: number): string {
  return `${MARK}:deep:${levels}`;
}

/** Stands for a list of zeros, so many MiB long. */
export function holdZeros(mib: number): string {
  return `${MARK}:zeros:${mib}`;
}

/** The JSON with everything in it that was held a place for. */
export function writeRaw(json: string): string {
  if (!json.includes(MARK)) return json;
  return json.replace(MARKED, (_, kind: string, size: string) =>
    kind === 'deep' ? deepJson(Number(size)) : `[${'0,'.repeat((Number(size) * MIB) / 2)}0]`,
  );
}
