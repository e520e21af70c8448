// What is refused before a YAML file is parsed, so that no file can exhaust the process: the parser descends into nested
// values by recursion, and crashes the process if they are too deep.
import { Lexer, Parser } from 'yaml';
import { MEBIBYTE } from '../core/byte-sizes.ts';
import type { Remark } from './remarks.ts';

export const MAX_BYTES = MEBIBYTE;
/** Levels of nesting; a job's filters are at the fifth. */
export const MAX_LEVELS = 64;

/** The limit that a text exceeds, at the place where it does. */
export function exceededBound(text: string): Remark | undefined {
  if (Buffer.byteLength(text) > MAX_BYTES) return remarkAt(text, 0, `is larger than 1 MiB (${MAX_BYTES} bytes); expected a smaller file`);
  const offset = offsetOfExcessiveNesting(text);
  return offset === undefined ? undefined : remarkAt(text, offset, `is nested more than ${MAX_LEVELS} levels deep; expected fewer`);
}

function remarkAt(text: string, offset: number, sentence: string): Remark {
  const before = text.slice(0, offset).split('\n');
  return { position: { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }, path: [], text: sentence };
}

/** Uses the parser's first stage, which does not recurse: its stack holds the open values. */
function offsetOfExcessiveNesting(text: string): number | undefined {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    // Its documents come last, and are parsed again where they are used.
    for (const _document of parser.next(lexeme));
    if (parser.stack.length > MAX_LEVELS) return parser.offset;
  }
  return undefined;
}
