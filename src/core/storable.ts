// Text that Postgres can keep.

/** Whether it has neither NUL nor half a surrogate pair. Source: PostgreSQL documentation, "Character Types" and "JSON Types". */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
