// Which members a set has, as summaries note it: a number of 128 places of four decimal digits. Of each member a byte of its hash says to which place
// it adds 1 (an even byte), or from which it takes 1.
import { createHash } from 'node:crypto';

export type Key = readonly (string | null | undefined)[];
const PLACE = 10_000n;

/** A row as Postgres writes it. */
const written = (key: Key): string =>
  `(${key.map((cell) => (cell === '' || /[",()\\\s]/.test(cell ?? '') ? `"${cell?.replaceAll(/["\\]/g, '$&$&')}"` : (cell ?? ''))).join()})`;

const partOf = (key: Key): bigint => {
  const byte = createHash('md5').update(written(key)).digest()[0] as number;
  return (byte % 2 === 0 ? 1n : -1n) * PLACE ** BigInt(byte >> 1);
};

export const digestOf = (members: readonly Key[]): bigint => members.reduce((total, key) => total + partOf(key), 0n);
