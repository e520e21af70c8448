// Text files that people have saved, as UTF-8. A file in another encoding would be read without an error, with other characters in the place of some.
import { isUtf8 } from 'node:buffer';

export type DecodedText =
  | Readonly<{ kind: 'text'; text: string }>
  /** `problem` says what the file is instead, and what to do; line and column (from 1) where that shows first. */
  | Readonly<{ kind: 'other'; line: number; column: number; problem: string }>;

const LINE_FEED = 10;
const MARK = '\ufeff';

/** Decodes the content of a file. A byte order mark of UTF-8 is left out. */
export function decodeText(bytes: Buffer): DecodedText {
  const wide = findWideEncoding(bytes);
  if (wide) return { kind: 'other', line: 1, column: 1, problem: adviseOn(`is saved as ${wide.name}`, wide.iconv) };
  let line = 1;
  for (let start = 0; start <= bytes.length; line += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    const content = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (!isUtf8(content)) {
      const before = content.toString('utf8').indexOf('\ufffd');
      return { kind: 'other', line, column: before + 1, problem: adviseOn('has a character that is not UTF-8', 'WINDOWS-1252') };
    }
    if (end === -1) break;
    start = end + 1;
  }
  const text = bytes.toString('utf8');
  return { kind: 'text', text: text.startsWith(MARK) ? text.slice(MARK.length) : text };
}

function adviseOn(what: string, iconv: string): string {
  return `${what}; expected UTF-8: save it as UTF-8 in the editor, or convert it, for example by "iconv -f ${iconv} -t UTF-8"`;
}

/** Encodings of two or four bytes for each character. Without a mark, one of the first two bytes is 0, which is valid UTF-8, so that nothing else would tell. */
function findWideEncoding(bytes: Buffer): { name: string; iconv: string } | undefined {
  const begins = (...mark: number[]): boolean => mark.every((byte, at) => bytes[at] === byte);
  if (begins(0xff, 0xfe, 0, 0) || begins(0, 0, 0xfe, 0xff)) return { name: 'UTF-32', iconv: 'UTF-32' };
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff)) return { name: 'UTF-16', iconv: 'UTF-16' };
  if (bytes[1] === 0) return { name: 'UTF-16', iconv: 'UTF-16LE' };
  return bytes[0] === 0 ? { name: 'UTF-16', iconv: 'UTF-16BE' } : undefined;
}
