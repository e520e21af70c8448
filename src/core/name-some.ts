// Lists in messages: some items are named, the others are counted.

/** The first `most` items, and how many there are besides them: `a, b and 3 more`. `others` are items that were not given. */
export function nameSome(items: readonly string[], most: number, { others = 0, separator = ', ' } = {}): string {
  const more = Math.max(0, items.length - most) + others;
  const named = items.slice(0, most).join(separator);
  return more > 0 ? `${named} and ${more} more` : named;
}
