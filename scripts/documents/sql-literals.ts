// Texts as literals of SQL.
const LONGEST_LINE = 104;

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A text as literals of at most a line each, which SQL joins. */
export function literal(text: string): string {
  const lines = text.match(new RegExp(`.{1,${LONGEST_LINE}}(?:[ ,]|$)`, 'g')) ?? [text];
  return lines.map(quote).join('\n  ');
}
