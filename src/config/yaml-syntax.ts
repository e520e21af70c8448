// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables, as people write it
// Syntax errors of a YAML file, in words that quote nothing from it.
import type { Document } from 'yaml';
import type { Position, Remark } from './remarks.ts';

/** Syntax errors and unknown tags, each at its position. */
export function syntaxMistakes(document: Document.Parsed, text: string, positionAt: (offset: number) => Position): Remark[] {
  const mistakes: Remark[] = [];
  const add = (offset: number, sentence: string): void => {
    mistakes.push({ position: positionAt(offset), path: [], text: sentence });
  };
  document.errors.forEach((error, index) => {
    // After one error the parser reports every token that follows; only the first is the mistake.
    if (index > 0 && error.code === 'UNEXPECTED_TOKEN') return;
    const offset = error.pos[0];
    if (text.startsWith('${', offset - 1)) add(offset - 1, 'a variable inside { } or [ ] must be in quotes: "${NAME}"');
    else if (error.code === 'MULTIPLE_DOCS') add(offset, 'a second document begins here; expected one document, without ---');
    else add(offset, `YAML syntax: ${withoutQuotation(error.message)}`);
  });
  for (const warning of document.warnings)
    add(warning.pos[0], `YAML syntax: ${withoutQuotation(warning.message)}; expected plain YAML without tags`);
  return mistakes;
}

/** The parser's message without the piece of the file it may end in: an unquoted credential can begin with any character. */
function withoutQuotation(message: string): string {
  return message.replace(/: .*$/s, '');
}
