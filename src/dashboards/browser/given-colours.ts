// Remembers the colours of names while the tab is open, so that the next page, with other filters, gives them again.
import type { Given } from './looks.ts';

const KEY = 'searchmill-colours';
const MAX_NAMES = 1_000;

/** Empty where the browser stores nothing. */
export function readGiven(): Given {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return new Map(Array.isArray(stored) ? (stored as [string, number][]) : []);
  } catch {
    return new Map();
  }
}

export function keepGiven(given: Given): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...given].slice(-MAX_NAMES)));
  } catch {
    // Without it a colour may change from page to page.
  }
}
