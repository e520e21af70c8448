// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax under test
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readVariable, substituteVariables } from '../../../src/config/variables.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'searchmill-variables-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fileWith(content: string | Buffer): string {
  const path = join(mkdtempSync(join(folder, 'secret-')), 'token');
  writeFileSync(path, content);
  return path;
}

describe('a variable', () => {
  it('is read by its name before its file', () => {
    expect(readVariable({ TOKEN: 'a', TOKEN_FILE: '/nowhere' }, 'TOKEN')).toEqual({ kind: 'set', value: 'a' });
  });

  it.each([
    ['a line break', 'abc\n', 'abc'],
    ['a line break of Windows', 'abc\r\n', 'abc'],
    ['one of two line breaks', 'abc\n\n', 'abc\n'],
    ['the mark of UTF-8', '\ufeffabc\n', 'abc'],
    ['nothing else', ' abc ', ' abc '],
  ])('from a file loses %s', (_what, content, value) => {
    expect(readVariable({ TOKEN_FILE: fileWith(content) }, 'TOKEN')).toEqual({ kind: 'set', value });
  });

  it('from a file in another encoding is not used', () => {
    expect(readVariable({ TOKEN_FILE: fileWith(Buffer.from('abc', 'utf16le')) }, 'TOKEN')).toEqual({
      kind: 'unreadable',
      text: expect.stringMatching(/^TOKEN_FILE names .*\/token, which is saved as UTF-16; expected UTF-8/),
    });
  });

  it('that is empty is looked for in the file', () => {
    expect(readVariable({ TOKEN: '', TOKEN_FILE: fileWith('abc') }, 'TOKEN')).toEqual({ kind: 'set', value: 'abc' });
  });

  it('whose file cannot be read, or is empty, is reported as such and not as missing', () => {
    expect(readVariable({ TOKEN_FILE: '/nowhere/token' }, 'TOKEN')).toMatchObject({
      kind: 'unreadable',
      text: expect.stringMatching(/TOKEN_FILE .*ENOENT/),
    });
    expect(readVariable({ TOKEN_FILE: fileWith('\n') }, 'TOKEN')).toMatchObject({
      kind: 'unreadable',
      text: expect.stringContaining('empty file'),
    });
  });
});

describe('substitution', () => {
  const env = { HOST: 'gateway', EMPTY: '', NESTED: '${HOST}', DOLLAR: '$&$1' };

  it.each([
    ['${HOST}', 'gateway'],
    ['https://${HOST}.example.com/${HOST}', 'https://gateway.example.com/gateway'],
    ['${NONE:-fallback}', 'fallback'],
    ['${NONE:-}', ''],
    ['${EMPTY:-fallback}', 'fallback'],
    ['${HOST:-fallback}', 'gateway'],
    ['${NONE:-http://127.0.0.1:4010}', 'http://127.0.0.1:4010'],
    ['$${HOST}', '${HOST}'],
    ['$$${HOST}', '$${HOST}'],
    ['$${${HOST}}', '${gateway}'],
    ['$HOST and 5$', '$HOST and 5$'],
    ['${NESTED}', '${HOST}'],
    ['${DOLLAR}', '$&$1'],
  ])('of %j gives %j', (written, text) => {
    expect(substituteVariables(written, env)).toMatchObject({ text, problems: [] });
  });

  it.each([
    ['x ${NONE} y', 2, 'NONE is not set'],
    ['${EMPTY}', 0, 'EMPTY is empty'],
    ['${HOST', 0, 'does not begin a variable'],
    ['${1ST}', 0, 'does not begin a variable'],
    ['${HOST:?needed}', 0, 'does not begin a variable'],
    ['${NONE:-${HOST}}', 0, 'does not begin a variable'],
  ])('of %j is a mistake at offset %i', (written, offset, text) => {
    expect(substituteVariables(written, env).problems).toContainEqual(
      expect.objectContaining({ offset, text: expect.stringContaining(text) }),
    );
  });

  it('finds every missing variable of a text', () => {
    expect(substituteVariables('${ONE}-${HOST}-${TWO}', env).problems.map(({ offset }) => offset)).toEqual([0, 15]);
  });

  it('leaves every text without ${ alone, and inserts any value as it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (text, value) => {
        fc.pre(!text.includes('${'));
        expect(substituteVariables(text, {})).toMatchObject({ text, hasVariables: false, problems: [] });
        fc.pre(!text.endsWith('$'));
        expect(substituteVariables(`${text}\${NAME}`, { NAME: value }).text).toBe(text + value);
      }),
    );
  });
});
