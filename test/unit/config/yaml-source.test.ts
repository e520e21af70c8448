// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax under test
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath } from '../../../src/config/remarks.ts';
import type { EnvironmentVariables } from '../../../src/config/variables.ts';
import type { YamlSource } from '../../../src/config/yaml-source.ts';
import { readYaml } from '../../../src/config/yaml-source.ts';

function sourceOf(text: string, env: EnvironmentVariables = {}): YamlSource {
  const { source, mistakes } = readYaml(text, env);
  if (!source) throw new Error(mistakes.map((mistake) => mistake.text).join());
  return source;
}

function mistakesOf(text: string, env: EnvironmentVariables = {}): string[] {
  return readYaml(text, env).mistakes.map(
    ({ position, path, text: sentence }) => `${position.line}:${position.column} ${formatPath(path)} ${sentence}`,
  );
}

describe('positions', () => {
  const source = sourceOf('# comment\na:\n  b: [10, { c: "x" }]\n  d: &shared { e: 1 }\nf: *shared\nempty:\n');

  it.each([
    [[], 'value', '2:1'],
    [['a'], 'key', '2:1'],
    [['a'], 'value', '3:3'],
    [['a', 'b', 1, 'c'], 'key', '3:13'],
    [['a', 'b', 1, 'c'], 'value', '3:16'],
    [['f'], 'value', '5:4'],
    [['f', 'e'], 'value', '4:19'],
    [['empty'], 'key', '6:1'],
  ] as const)('of %j (%s) are %s', (path, part, place) => {
    const { line, column } = source.positionOf(path, part);
    expect(`${line}:${column}`).toBe(place);
  });

  it('of what is missing are those of the nearest thing above it', () => {
    expect(source.positionOf(['a', 'missing'])).toEqual({ line: 2, column: 1 });
    expect(source.positionOf(['a', 'b', 1, 'missing'])).toEqual({ line: 3, column: 11 });
    expect(source.positionOf(['missing'])).toEqual({ line: 2, column: 1 });
  });

  it('begin with 1 in an empty file', () => {
    expect(sourceOf('').positionOf([])).toEqual({ line: 1, column: 1 });
  });
});

describe('values', () => {
  it('are those of YAML 1.2, whatever version the file asks for', () => {
    expect(sourceOf('%YAML 1.1\n---\nlist: [NO, yes, 2026-09-06, 012, 5]\n').value).toEqual({ list: ['NO', 'yes', '2026-09-06', 12, 5] });
  });

  it('take variables in texts of every style, but not in keys', () => {
    const text = '${KEY}: plain ${NAME}\nsingle: \'${NAME}\'\ndouble: "${NAME}\\n"\nblock: |\n  ${NAME}\nlist:\n  - ${NAME}\n';
    expect(sourceOf(text, { NAME: 'v', KEY: 'k' }).value).toEqual({
      '${KEY}': 'plain v',
      single: 'v',
      double: 'v\n',
      block: 'v\n',
      list: ['v'],
    });
  });

  it('from variables are texts and cannot add structure to the file', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ minLength: 1 }),
          fc.constantFrom('a: b', '[1, 2]', '"', '\n- x\n', '*alias', '# no comment', '5', 'null', '${NAME}'),
        ),
        (value) => {
          expect(sourceOf('a: ${NAME}\nb: { c: "${NAME}" }\n', { NAME: value }).value).toEqual({ a: value, b: { c: value } });
        },
      ),
    );
  });

  it('remember whether they came from a variable', () => {
    const source = sourceOf('a: ${NAME}\nb: x\nc: $${NAME}\nd: &x "${NONE:-1}"\ne: *x\n', { NAME: 'v' });
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => source.hasVariable([key]))).toEqual(['a', 'd', 'e']);
  });
});

describe('mistakes', () => {
  it('of variables stand where the variable is written', () => {
    expect(mistakesOf('a:\n  b: "x ${NONE} ${NOTHING}"\nc: ${NONE}\n')).toEqual([
      expect.stringMatching(/^2:9 a\.b the variable NONE is not set/),
      expect.stringMatching(/^2:17 a\.b the variable NOTHING is not set/),
      expect.stringMatching(/^3:4 c the variable NONE is not set/),
    ]);
  });

  it('of variables in a text with escapes stand at least at the text', () => {
    expect(mistakesOf('a: "\\x24{NONE}"\n')).toEqual([expect.stringMatching(/^1:4 a the variable NONE/)]);
  });

  it.each([
    [
      'a key that is written twice',
      'a: 1\nb:\n  c: 1\n  c: 2\na: 3\n',
      ['4:3 b.c is written twice, first on line 3; expected once', '5:1 a is written twice, first on line 1; expected once'],
    ],
    [
      'a list that is not closed',
      'a: [1\nb: 2\n',
      ['2:1  YAML syntax: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    ['a tab', 'a:\n\tb: 1\n', ['2:1  YAML syntax: Tabs are not allowed as indentation']],
    [
      'an alias without an anchor',
      'a: *nope\n',
      ['1:4  no anchor of this name stands before this alias; text that begins with * must stand in quotes'],
    ],
    ['a tag', 'a: !env NAME\n', ['1:4  YAML syntax: Unresolved tag; expected plain YAML without tags']],
    ['a second document', 'a: 1\n---\nb: 2\n', ['2:1  a second document begins here; expected one document, without ---']],
    [
      'a variable without quotes in a flow mapping',
      'a: { b: ${NAME} }\n',
      ['1:9  a variable inside { } or [ ] must stand in quotes: "${NAME}"'],
    ],
    ['a key that objects do not take', '__proto__: 1\n', ['1:1 __proto__ cannot be used as a key']],
  ])('of syntax: %s', (_what, text, mistakes) => {
    expect(mistakesOf(text)).toEqual(mistakes);
  });

  it('of syntax never quote the file, which may hold a credential', () => {
    for (const text of [
      '- a\nhunter2: 1\n',
      'a: "x" hunter2\n',
      'a: !hunter2 b\n',
      'a: @hunter2\n',
      'a: b: hunter2\n',
      'a: *hunter2\n',
      'a: [x] hunter2\n',
    ]) {
      expect(mistakesOf(text), text).not.toEqual([]);
      expect(mistakesOf(text).join(), text).not.toContain('hunter2');
    }
  });

  it('end a file whose aliases multiply without end', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}, *l${level}, *l${level}]\n`,
    );
    expect(mistakesOf(`l0: &l0 [x]\n${levels.join('')}`)).toEqual([expect.stringContaining('Excessive alias count')]);
  });
});
