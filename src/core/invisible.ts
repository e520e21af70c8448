// Control and invisible characters, written as \uXXXX or left out. A name that the service sent may contain some.

/** Controls except newline and tab, and direction marks, most of which JSON does not escape. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** Control and format characters (line breaks, terminal escapes, direction marks), unpaired surrogates and blanks. */
const UNPRINTABLE = /[\p{C}\p{Z}]+/gu;
const ESCAPE = '\u001b';
/** The rest of an escape sequence of paint.ts or of a coloured log. */
const COLOUR = /^\[(?:[012]|22|39|3[1-6]|41|49|90)m/;

/** A text on one line: unprintable characters become blanks. */
export function onOneLine(text: string): string {
  return text.replaceAll(UNPRINTABLE, ' ').trim();
}

/** The beginning of a text, with an ellipsis if it is longer than `length` characters. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** For text from outside. If it is JSON, its value stays the same. */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, asCode);
}

/** For all final output, coloured or not. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(CONTROLS, (character, offset: number) =>
    character === ESCAPE && COLOUR.test(text.slice(offset + 1, offset + 5)) ? character : asCode(character),
  );
}

function asCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
