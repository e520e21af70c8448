// Control and invisible characters, written as \uXXXX or left out. A name that the service sent may contain some.

/** Controls except newline and tab, and direction marks, most of which JSON does not escape. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/**
 * What a reader does not see, or sees as a blank: controls, formats, surrogates without a partner, private and unassigned characters, blanks
 * other than the space, what fonts show as nothing (fillers, joiners, selectors, tags), and the two symbols that look empty. Unicode counts
 * fillers among letters and selectors among marks, so categories alone do not find them.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]|(?! )\p{Z}/gu;
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

/** A text in which all that cannot be seen is written as \uXXXX, except for these characters. If the text is JSON, its value stays the same. */
export function showInvisible(text: string, except = ''): string {
  return text.replaceAll(UNSEEN, (character) => (except.includes(character) ? character : asCode(character)));
}

/** For all final output, coloured or not. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(CONTROLS, (character, offset: number) =>
    character === ESCAPE && COLOUR.test(text.slice(offset + 1, offset + 5)) ? character : asCode(character),
  );
}

/** Each of its one or two UTF-16 units, as JSON writes them. */
export function asCode(character: string): string {
  let codes = '';
  for (let at = 0; at < character.length; at += 1) codes += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return codes;
}
