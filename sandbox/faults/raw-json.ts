// JSON that JSON.stringify cannot write: a text is the placeholder, and is replaced by the JSON at the end.
import { randomUUID } from 'node:crypto';
import { MEBIBYTE } from '../../src/core/byte-sizes.ts';

const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}:(deep|zeros):(\\d+)"`, 'g');

/** Nested arrays, `levels` deep. */
export function deepJson(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** A placeholder for nested arrays, replaced by `writeRaw`. */
export function holdDeep(levels: number): string {
  return `${MARK}:deep:${levels}`;
}

/** A placeholder for a list of zeros of `mib` MiB. */
export function holdZeros(mib: number): string {
  return `${MARK}:zeros:${mib}`;
}

/** The JSON with all placeholders replaced. */
export function writeRaw(json: string): string {
  if (!json.includes(MARK)) return json;
  return json.replace(MARKED, (_, kind: string, size: string) =>
    kind === 'deep' ? deepJson(Number(size)) : `[${'0,'.repeat((Number(size) * MEBIBYTE) / 2)}0]`,
  );
}
