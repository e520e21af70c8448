// The header of a file of SQL, such as a panel or a measure: lines of "-- Key: value" before its SELECT.

export type Entry = Readonly<{ line: number; value: string }>;

/**
 * The header's entries by key, the SQL after it without a final semicolon, and its line. A line indented by three or more spaces continues the entry before
 * it. Calls `tell(line, problem)` for each mistake.
 */
export function splitHeader<Key extends string>(
  text: string,
  keys: readonly Key[],
  tell: (line: number, problem: string) => void,
): { entries: Map<Key, Entry>; sql: string; sqlLine: number } {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const entries = new Map<Key, Entry>();
  let last: Key | undefined;
  let at = 0;
  for (; lines[at]?.startsWith('--'); at += 1) {
    const line = lines[at] ?? '';
    const [, written = '', value = ''] = /^-- ([A-Za-z]+): *(.*)$/.exec(line) ?? [];
    const key = keys.find((each) => each === written);
    if (key) {
      if (entries.has(key)) tell(at + 1, `${key}: is there twice`);
      if (value.trim() === '') tell(at + 1, `${key}: has no value`);
      entries.set(key, { line: at + 1, value: value.trim() });
      last = key;
    } else if (last && /^-- {3,}\S/.test(line)) {
      const { line: first, value: before } = entries.get(last) ?? { line: at + 1, value: '' };
      entries.set(last, { line: first, value: `${before} ${line.slice(2).trim()}` });
    } else if (written) {
      tell(at + 1, `"${written}" is not a key of the header; they are ${keys.join(', ')}`);
    } else {
      tell(at + 1, 'expected "-- Key: value", or "--   " and the rest of the value before');
    }
  }
  const sql = lines.slice(at).join('\n').trim().replace(/;$/, '').trimEnd();
  while (lines[at]?.trim() === '') at += 1;
  return { entries, sql, sqlLine: at };
}
