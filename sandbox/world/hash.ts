// Keyed randomness. Every value of the fictional company is a pure function of (seed, entity, week), so the same question has the same answer in
// any order of calls, and any page can be made without the ones before it. A stateful generator could not do that, hence a hash: the
// two-multiply 32-bit finaliser "lowbias32" of Chris Wellons (public domain).

/** Mixes another number into a key. Both, and the result, are 32-bit integers. */
export function mix(key: number, value: number): number {
  let h = key ^ Math.imul(value + 0x9e3779b9, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}

/** A key for a text: FNV-1a over its UTF-16 units, then mixed. */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h, text.length);
}

/** The key as a number in [0, 1), uniformly distributed. */
export function share(key: number): number {
  return (key >>> 0) / 0x1_0000_0000;
}

/** The key as a whole number in [0, count). */
export function below(key: number, count: number): number {
  return Math.floor(share(key) * count);
}

/** One of `items`, chosen by the key. Throws on an empty list. */
export function pick<T>(items: readonly T[], key: number): T {
  const item = items[below(key, items.length)];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}

/**
 * A number in [-1, 1] that changes slowly from week to week: value noise with one support point every `period` weeks, at weeks that differ by
 * key so that not everything changes at once.
 */
export function drift(key: number, week: number, period: number): number {
  const shifted = week + below(key, period);
  const point = Math.floor(shifted / period);
  const t = (shifted - point * period) / period;
  const from = share(mix(key, point));
  const to = share(mix(key, point + 1));
  return (from + (to - from) * t * t * (3 - 2 * t)) * 2 - 1;
}
