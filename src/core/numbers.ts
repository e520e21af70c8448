// Numbers as people read them.

/** With separators and at most two decimals. Not by Intl, whose tables take longer to load than a status takes to print. */
export function formatNumber(value: number): string {
  const [whole = '', decimals] = String(Math.round(value * 100) / 100).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

export function sumOf<T>(items: readonly T[], amountOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0);
}

/** `3 weeks`, `1 week`. */
export function count(amount: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(amount)} ${amount === 1 ? noun : nouns}`;
}
