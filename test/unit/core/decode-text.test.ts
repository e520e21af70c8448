// Files that people have saved in other encodings than UTF-8.
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../src/core/decode-text.ts';

const FILE = 'jobs:\n  - name: münchen\n    since: 2026-09-06\n';
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf32 = (text: string): Buffer => Buffer.concat([...text].map((character) => utf16(character.padEnd(2, '\0'))));

describe('the text of a file', () => {
  it.each([
    ['in UTF-8', Buffer.from(FILE)],
    ['in UTF-8 with a mark', Buffer.from(`\ufeff${FILE}`)],
  ])('%s is read', (_, bytes) => {
    expect(decodeText(bytes)).toEqual({ kind: 'text', text: FILE });
  });

  it.each(['', '\n', 'a', '\ufffd: what was lost before is not our concern', 'emoji 🙂, 中国, e\u0301'])('%j is read as it is', (text) => {
    expect(decodeText(Buffer.from(text))).toEqual({ kind: 'text', text });
  });

  it.each([
    ['Latin-1', Buffer.from(FILE, 'latin1'), 2, 12, /^has a character that is not UTF-8; expected UTF-8: .*iconv -f WINDOWS-1252 -t UTF-8/],
    ['UTF-16', utf16(FILE), 1, 1, /^is saved as UTF-16; .*iconv -f UTF-16LE -t UTF-8/],
    ['UTF-16 with a mark', utf16(`\ufeff${FILE}`), 1, 1, /^is saved as UTF-16; .*iconv -f UTF-16 -t UTF-8/],
    ['UTF-16 of the other order', utf16(FILE).swap16(), 1, 1, /^is saved as UTF-16; .*iconv -f UTF-16BE -t UTF-8/],
    ['UTF-16 of the other order with a mark', utf16(`\ufeff${FILE}`).swap16(), 1, 1, /^is saved as UTF-16; .*iconv -f UTF-16 -t UTF-8/],
    ['UTF-32 with a mark', utf32(`\ufeff${FILE}`), 1, 1, /^is saved as UTF-32; .*iconv -f UTF-32 -t UTF-8/],
    [
      'UTF-8 that ends within a character',
      Buffer.from(FILE).subarray(0, FILE.indexOf('ü') + 1),
      2,
      12,
      /^has a character that is not UTF-8/,
    ],
  ])('in %s is refused with the line where that shows', (_, bytes, line, column, problem) => {
    expect(decodeText(bytes)).toEqual({ kind: 'other', line, column, problem: expect.stringMatching(problem) });
  });
});
