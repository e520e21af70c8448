// Text that Postgres can store.

/** Whether it has neither NUL nor an unpaired surrogate. Source: PostgreSQL documentation, "Character Types" and "JSON Types". */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
