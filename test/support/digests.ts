// Which members a set has, as summaries note it: a number of 128 places of four decimal digits. Of each member a byte of its hash says to which place
// it adds 1 (an even byte), or from which it takes 1.
import { createHash } from 'node:crypto';

export type Key = readonly (string | null | undefined)[];
const PLACES = 128;
const PLACE = 10_000n;

/** A row as Postgres writes it. */
const written = (key: Key): string =>
  `(${key.map((cell) => (cell === '' || /[",()\\\s]/.test(cell ?? '') ? `"${cell?.replaceAll(/["\\]/g, '$&$&')}"` : (cell ?? ''))).join()})`;

const partOf = (key: Key): bigint => {
  const byte = createHash('md5').update(written(key)).digest()[0] as number;
  return (byte % 2 === 0 ? 1n : -1n) * PLACE ** BigInt(byte >> 1);
};

export const digestOf = (members: readonly Key[]): bigint => members.reduce((total, key) => total + partOf(key), 0n);

/** About how many members only one of two sets has. */
function distance(one: bigint, other: bigint): number {
  const middles = BigInt('5000'.repeat(PLACES));
  const digits = String(one - other + middles).padStart(4 * PLACES, '0');
  return [...digits.matchAll(/.{4}/g)].reduce((total, [place]) => total + (Number(place) - 5000) ** 2, 0);
}

export type Member = Readonly<{ place: string; part: string; key: Key }>;

/** Whether more than a tenth of a set came or went, as far as both have its places: by their parts, or by their digests. */
export function hasMoved(before: readonly Member[], now: readonly Member[]): boolean {
  const places = new Set(before.map(({ place }) => place).filter((place) => now.some((other) => other.place === place)));
  const moves = [...places].map((place) => {
    const [one, other] = [before, now].map((set) => set.filter((member) => member.place === place)) as [Member[], Member[]];
    const countOf = (set: readonly Member[], part: string): number => set.filter((member) => member.part === part).length;
    const changes = [...new Set([...one, ...other].map(({ part }) => part))].map((part) => countOf(other, part) - countOf(one, part));
    const [came, went] = [1, -1].map((sign) => changes.reduce((total, change) => total + Math.max(0, sign * change), 0)) as [
      number,
      number,
    ];
    const others = distance(digestOf(one.map(({ key }) => key)), digestOf(other.map(({ key }) => key)));
    return [
      one.length,
      Math.max(came, Math.round((others + came - went) / 2)),
      Math.max(went, Math.round((others - came + went) / 2)),
    ] as const;
  });
  const [whole, came, went] = [0, 1, 2].map((at) => moves.reduce((total, move) => total + (move[at] as number), 0)) as [
    number,
    number,
    number,
  ];
  return moves.length === 0 || Math.max(came, went) > 0.1 * whole;
}

export const isSameSet = (one: readonly Member[], other: readonly Member[]): boolean =>
  JSON.stringify(one.map((member) => JSON.stringify(member)).sort()) ===
  JSON.stringify(other.map((member) => JSON.stringify(member)).sort());
