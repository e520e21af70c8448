// Breaks text into lines that fit a terminal.
import { escapeControls } from '../core/invisible.ts';

/** Below this width lines are not broken: each word would have its own line. */
const NARROWEST = 40;

/** Lines of at most `width` columns where words allow it, each after `indent`. */
export function wrapText(text: string, width: number, indent = ''): string[] {
  const room = Math.max(width, NARROWEST) - indent.length;
  const lines: string[] = [];
  let line = '';
  for (const word of escapeControls(text).split(/\s+/).filter(Boolean)) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines.map((one) => `${indent}${one}`);
}
