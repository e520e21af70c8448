// Mistakes of layout, such as tabs or a missing blank, in a file that is not YAML. They are found line by line, because the parser reports only the place
// where it could not go on, which may be far below. Only for files that the parser refused. Quotes nothing from the file.
import { Lexer } from 'yaml';
import { count } from '../core/numbers.ts';
import { findIndentation, type LayoutMistake, type Line } from './yaml-indentation.ts';

const CONFLICT = /^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/;
/** A blank that is not a space, where YAML needs one: what word processors, web pages and chats put into copied text. */
export const ODD_BLANK = /(?<=^ *|^ *-|^[^#]*:)[\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]/;
const LACKS_COMMA = 'lacks a comma before it; expected one between two values inside { } and [ ]';
/** Of the begin of a document, of a scalar, and of the end of a flow. */
const LEXER_SIGNS = ['\u0002', '\u0018', '\u001f'];

/** The earliest mistake of layout that explains why a file cannot be parsed. */
export function findLayoutMistake(text: string): LayoutMistake | undefined {
  if (!text.includes('\n') && text.includes('\r'))
    return { offset: 0, text: 'the lines end with CR alone, so the file is one line; expected LF: save it with the line ends of Unix' };
  const lines = linesOf(text);
  const indented = findIndentation(lines);
  // Between brackets, indentation means nothing.
  const indentation = indented && isBetweenBrackets(text, indented.offset) ? undefined : indented;
  const found = [findTab(lines), findUnclosed(text), findAfterEnd(text), ...lines.map(findInLine), indentation];
  return found.filter((mistake) => mistake !== undefined).toSorted((a, b) => a.offset - b.offset)[0];
}

function linesOf(text: string): Line[] {
  let offset = 0;
  return text.split('\n').map((line, index) => {
    const at = offset;
    offset += line.length + 1;
    const plain = line.replace(/\r$/, '');
    return { number: index + 1, offset: at, text: plain, indent: plain.length - plain.trimStart().length };
  });
}

/** One mistake for all lines: an editor indents a whole file alike. */
function findTab(lines: readonly Line[]): LayoutMistake | undefined {
  const [first, ...others] = lines.filter((line) => /^ *\t\s*[^\s#]/.test(line.text));
  if (!first) return undefined;
  const more = others.length === 0 ? '' : `, as ${others.length === 1 ? 'is' : 'are'} ${count(others.length, 'line')} after it`;
  return { offset: first.offset, text: `is indented with a tab${more}; YAML takes only spaces: expected two for each level` };
}

function findInLine(line: Line): LayoutMistake | undefined {
  const content = line.text.trimStart();
  const offset = line.offset + line.indent;
  if (content.startsWith('#')) return undefined;
  if (CONFLICT.test(line.text))
    return { offset, text: 'is a mark of a merge conflict; expected one of the two versions, without the marks' };
  if (/^(?:\/\/|\/\*|--(?: |$))/.test(content))
    return { offset, text: 'looks like a comment of another language; expected # at its beginning' };
  if (/^\[[\w.-]+\]\s*$/.test(line.text))
    return { offset, text: 'is a heading of another format, such as TOML; expected a name with a colon, such as "jobs:"' };
  const blank = ODD_BLANK.exec(line.number === 1 ? line.text.replace(/^\ufeff/, ' ') : line.text);
  if (blank) return { offset: line.offset + blank.index, text: tellBlank(blank[0]) };
  if (/^[\u2010-\u2015\u2022\u2023\u2043\u2212\u25aa\u25cf\u25e6\u00b7] ?/.test(content))
    return { offset, text: 'begins with a sign that looks like a hyphen and is none; expected "- " before an item of a list' };
  if (/^-[A-Za-z_]/.test(content)) return { offset, text: 'lacks a space after the hyphen; expected "- " before an item of a list' };
  if (/^(?:- +)?[A-Za-z_]+ *=/.test(content)) return { offset, text: 'has = between name and value; expected a colon and a space' };
  if (/^(?:- +)?[a-z_]+:[^\s/:]/.test(content)) return { offset, text: 'lacks a space after the colon; expected "name: value"' };
  if (/^(?:- +)?[a-z_]+: +[^\s"'{[#&*|>][^#]*: /.test(content) && !content.includes('{{'))
    return { offset, text: 'has a second colon with a space; expected quotes around a text that contains one, or a line of its own' };
  const start = /^(?:- +)?(?:[A-Za-z_]+: +)?(?=[@`%])/.exec(content);
  if (start) return { offset: offset + start[0].length, text: 'begins with a character that YAML reserves; expected the text in quotes' };
  return undefined;
}

export function tellBlank(blank: string): string {
  const code = (blank.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `has the blank U+${code}, which YAML takes for text; expected a space`;
}

/** A quote or a bracket that is never closed: the parser complains where the file ends, or at the next line. */
function findUnclosed(text: string): LayoutMistake | undefined {
  const open: Bracket[] = [];
  for (const { lexeme, offset } of lexemesOf(text)) {
    const quote = lexeme[0];
    if ((quote === '"' || quote === "'") && (lexeme.length === 1 || !lexeme.endsWith(quote)))
      return { offset, text: `begins a text in quotes that is never closed; expected another ${quote} at its end` };
    const [outer, inner] = [open[0], open.at(-1)];
    if (inner && lexeme.startsWith('#') && lexeme.includes(CLOSING[inner.sign])) inner.comment ??= offset;
    if (lexeme === '[' || lexeme === '{') open.push({ offset, sign: lexeme });
    if (lexeme === ']' || lexeme === '}') {
      if (inner && CLOSING[inner.sign] !== lexeme) {
        const rest = text.slice(offset + 1).split('\n', 1)[0] ?? '';
        return rest.includes(CLOSING[inner.sign]) ? { offset, text: `closes nothing; expected no ${lexeme} here` } : unclosed(inner);
      }
      open.pop();
    }
    // A key at the left margin is outside of every bracket.
    if (outer && lexeme === '\n' && /^[a-z_]+:(?:\s|$)/.test(text.slice(offset + 1).slice(0, 80)))
      return unclosed(open.find(({ comment }) => comment !== undefined) ?? outer);
  }
  const one = open.find(({ comment }) => comment !== undefined) ?? open[0];
  return one && unclosed(one);
}

/** Text behind the end of a value: of a text in quotes, by a quote inside it or a sign that is missing, or of an alias, by a text that begins with *. */
function findAfterEnd(text: string): LayoutMistake | undefined {
  let ended: Ended | undefined;
  const open: string[] = [];
  let isName = true;
  for (const { lexeme, offset } of lexemesOf(text)) {
    const within = open.at(-1);
    // A text without quotes goes on in the next line.
    const joined = within === undefined ? -1 : lexeme.search(/(?<=^[^\s"'#][^\n]*\n\s*)["']/);
    if (joined > 0) return { offset: offset + joined, text: LACKS_COMMA };
    if (/^\s+$/.test(lexeme) && (within !== undefined || !lexeme.includes('\n'))) continue;
    const isText = ended !== undefined && !(within === undefined ? /^[\n\r#:\]}]/ : /^[\n\r#:,\]}]/).test(lexeme);
    const said = isText && ended && tellAfterEnd(ended, lexeme, within);
    if (said) return { offset: ended?.lexeme.startsWith('*') ? ended.offset : offset, text: said };
    if (lexeme === '[' || lexeme === '{') open.push(lexeme);
    if (lexeme === ']' || lexeme === '}') open.pop();
    ended = endOf(lexeme, offset, isName, within);
    isName = within === '[' ? false : /^[\n{]$/.test(lexeme) || (lexeme === ',' && within === '{') || (isName && /^\s*$/.test(lexeme));
  }
  return undefined;
}

function isBetweenBrackets(text: string, offset: number): boolean {
  let depth = 0;
  for (const { lexeme, offset: at } of lexemesOf(text)) {
    if (at >= offset) break;
    if (lexeme === '[' || lexeme === '{') depth++;
    if (lexeme === ']' || lexeme === '}') depth--;
  }
  return depth > 0;
}

/** The end of a value, or of a name in quotes. */
type Ended = Lexeme & Readonly<{ isName: boolean }>;

function endOf(lexeme: string, offset: number, isName: boolean, within: string | undefined): Ended | undefined {
  const isEnd = within === undefined ? /^["'*\]}]/.test(lexeme) : /^["'*\]}]|^[^\s,:?{[#]/.test(lexeme);
  return isEnd ? { lexeme, offset, isName } : undefined;
}

function tellAfterEnd({ lexeme: before, isName }: Ended, after: string, within: string | undefined): string | undefined {
  if (before.startsWith('*')) return 'is taken for an alias; text that begins with * must be in quotes';
  if (after.startsWith(',')) return 'is a comma at the end of a value; expected none outside of { } and [ ]';
  if (before === ']' && after.startsWith('(')) return 'follows the end of a list, as in a link of Markdown; expected the address alone';
  if (isName && /^["']/.test(before)) {
    if (/:["']$/.test(before)) return 'follows a colon that is within quotes; expected the colon behind them';
    if (/^["'][\w-]+["']$/.test(before)) return 'follows a name without a colon; expected a colon and a space between them';
  }
  if (within !== undefined && /=\s*$/.test(before)) return 'follows = behind a name; expected a colon and a space in its place';
  if (within !== undefined && (/^["'[{]/.test(after) || /^[\]}]$/.test(before))) return LACKS_COMMA;
  if (!/^["']/.test(before)) return undefined;
  return 'follows the end of a text in quotes; expected a quote inside such a text as \\" between ", or twice between \'';
}

/** What the parser's lexer takes a file apart into. */
type Lexeme = Readonly<{ lexeme: string; offset: number }>;

function* lexemesOf(text: string): Generator<Lexeme> {
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    // The lexer's own signs are not in the file.
    if (LEXER_SIGNS.includes(lexeme)) continue;
    yield { lexeme, offset };
    offset += lexeme.length;
  }
}

type Bracket = {
  readonly offset: number;
  readonly sign: '[' | '{';
  /** Where a comment begins in it that has its end. */
  comment?: number;
};
const CLOSING = { '[': ']', '{': '}' } as const;

function unclosed({ offset, sign, comment }: Bracket): LayoutMistake {
  if (comment !== undefined)
    return { offset: comment, text: 'begins a comment, since a blank precedes it; expected quotes around a text with # in it' };
  return { offset, text: `begins a ${sign === '[' ? 'list' : 'mapping'} that is never closed; expected ${CLOSING[sign]} at its end` };
}
