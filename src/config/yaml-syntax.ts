// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables, as people write it
// Syntax errors of a YAML file, in words that quote nothing from it.
import type { Document, YAMLParseError } from 'yaml';
import { findForeignLine } from './foreign-lines.ts';
import type { Position, Remark } from './remarks.ts';
import { findLayoutMistake } from './yaml-layout.ts';

/**
 * Syntax errors and unknown tags, each at its position. One mistake makes a parser stumble many times, so of what it reports only the
 * first is told, by its cause if that is known.
 */
export function syntaxMistakes(document: Document.Parsed, text: string, positionAt: (offset: number) => Position): Remark[] {
  const at = (offset: number, sentence: string): Remark => ({ position: positionAt(offset), path: [], text: sentence });
  const variable = document.errors.find(({ pos }) => text.startsWith('${', pos[0] - 1));
  if (variable) return [at(variable.pos[0] - 1, 'a variable inside { } or [ ] must be in quotes: "${NAME}"')];
  const [error] = document.errors;
  if (error) return [explain(error, text, at)];
  return document.warnings.map(({ pos, message }) =>
    at(pos[0], `YAML syntax: ${withoutQuotation(message)}; expected plain YAML without tags, or quotes around a text that begins with !`),
  );
}

function explain({ code, pos, message }: YAMLParseError, text: string, at: (offset: number, sentence: string) => Remark): Remark {
  const foreign = findForeignLine(text, pos[0]);
  if (foreign) return at(foreign.offset, foreign.text);
  if (code === 'MULTIPLE_DOCS') return at(pos[0], 'a second document begins here; expected one document, without ---');
  if (code === 'BAD_ALIAS') return at(pos[0], 'is taken for an alias; text that begins with * must be in quotes');
  if (code === 'BAD_SCALAR_START') return at(pos[0], 'begins with a character that YAML reserves; expected the text in quotes');
  if (code === 'NON_STRING_KEY' && text.includes('{{'))
    return at(text.indexOf('{{'), 'a template was not filled in; expected a value, or a variable in quotes: "${NAME}"');
  const cause = findLayoutMistake(text);
  if (cause) return at(cause.offset, cause.text);
  if (message.startsWith('Implicit map keys need')) return at(pos[0], tellMissingColon(text.slice(pos[0]).split('\n', 1)[0] ?? ''));
  const known = KNOWN.find(([begin]) => message.startsWith(begin));
  if (known) return at(pos[0], known[1]);
  return at(pos[0], `YAML syntax: ${withoutQuotation(message)}; compare this line with the example in docs/configuration.md`);
}

/** How the parser's messages begin, and what to do. */
const KNOWN: readonly (readonly [string, string])[] = [
  ['Invalid escape sequence', 'is no escape that YAML knows; expected \\\\ for a backslash, or the text between single quotes'],
  ['Comments must be separated', 'begins a comment without a blank before it; expected a blank before #'],
  ['Unexpected , in flow', 'is a comma without a value before it; expected one comma between two values'],
];

/** Of a line that has no colon where YAML needs one. */
function tellMissingColon(line: string): string {
  const colon = /[\u02d0\ua789\u2236\ufe13\ufe55\uff1a]/.exec(line)?.[0];
  return colon
    ? `has the sign U+${colon.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}, which looks like a colon and is none; expected "name: value"`
    : 'has no colon; expected "name: value"';
}

/** The parser's message without the piece of the file it may end in: an unquoted credential can begin with any character. */
function withoutQuotation(message: string): string {
  return message.replace(/: .*$/s, '');
}
