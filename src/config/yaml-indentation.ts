// Keys and items of a YAML file that are indented like nothing above them, found line by line. Only for files that the parser refused.
import { count } from '../core/numbers.ts';

/** A mistake at an offset of the file. */
export type LayoutMistake = Readonly<{ offset: number; text: string }>;

/** A line with its offset in the file. */
export type Line = Readonly<{ number: number; offset: number; text: string; indent: number }>;

const KEY = /^(?:- +)*(?:"[^"]*"|'[^']*'|[^\s#"'{}[\],&*!|>%@`-][^\s#:]*) *:(?:\s|$)/;
const ITEM = /^-(?: |$)/;

/** A level that is open: of keys, or of the items of a list. `hasItems`: a list stands as far left as its key. */
type Level = { readonly indent: number; readonly isOfItems: boolean; hasItems: boolean };

/** The first key or item whose indentation is that of no level that is open there, or of a level of the other kind. */
export function findIndentation(lines: readonly Line[]): LayoutMistake | undefined {
  const levels: Level[] = [];
  let above: Line | undefined;
  let opens = true;
  for (const line of lines) {
    const content = line.text.trimStart();
    if (content === '' || content.startsWith('#') || !(KEY.test(content) || ITEM.test(content))) continue;
    const isItem = ITEM.test(content);
    const say = (why: string, expected: readonly Level[]): LayoutMistake => ({
      offset: line.offset + line.indent,
      text: `is indented by ${count(line.indent, 'space')}, ${why}; expected ${[...new Set(expected.map(({ indent }) => indent))].join(' or ')}`,
    });
    const top = levels.at(-1);
    if (line.indent > (top?.indent ?? -1)) {
      if (!opens && above && top) return say(`although line ${above.number} above it has a value already`, [top]);
    } else {
      const outer = [...levels];
      while (levels.length > 0 && (levels.at(-1)?.indent ?? 0) > line.indent) levels.pop();
      const level = levels.at(-1);
      if (level?.indent !== line.indent) return say('which is the indentation of nothing above it', outer);
      if (level.isOfItems && !isItem) {
        const within = outer.filter(({ indent, isOfItems }) => indent > line.indent && !isOfItems);
        return say('as are the items of the list above it', within.length > 0 ? within : outer);
      }
      // Items of a list may stand as far left as its key.
      if (isItem && !level.isOfItems && !level.hasItems && !(opens && above?.indent === line.indent)) {
        const lists = levels.filter(({ isOfItems }) => isOfItems);
        return lists.length > 0 ? say('as are keys above it', lists) : undefined;
      }
      level.hasItems = isItem;
    }
    if (levels.at(-1)?.indent !== line.indent) levels.push({ indent: line.indent, isOfItems: isItem, hasItems: isItem });
    // A key after the hyphen of an item is a level of its own.
    const inner = /^(?:- +)+/.exec(content)?.[0].length ?? 0;
    if (inner > 0) levels.push({ indent: line.indent + inner, isOfItems: false, hasItems: false });
    above = line;
    opens = /(?::|^-)(?: +[&!][^\s]+)*\s*(?:#.*)?$/.test(content) || /[|>][-+0-9]*\s*$/.test(content);
  }
  return undefined;
}
