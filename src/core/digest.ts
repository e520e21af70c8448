// Digests: names derived from content.
import { createHash } from 'node:crypto';

/** The first 32 hexadecimal digits of SHA-256 over a value as JSON. */
export function shortDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
