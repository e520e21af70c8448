// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax under test
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
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

  it('of a missing value are those of the nearest value above it', () => {
    expect(source.positionOf(['a', 'missing'])).toEqual({ line: 2, column: 1 });
    expect(source.positionOf(['a', 'b', 1, 'missing'])).toEqual({ line: 3, column: 11 });
    expect(source.positionOf(['missing'])).toEqual({ line: 2, column: 1 });
  });

  it('begin with 1 in an empty file', () => {
    expect(sourceOf('').positionOf([])).toEqual({ line: 1, column: 1 });
  });
});

describe('values', () => {
  it('are read as YAML 1.2, whatever version the file asks for', () => {
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

  it('record whether they came from a variable', () => {
    const source = sourceOf('a: ${NAME}\nb: x\nc: $${NAME}\nd: &x "${NONE:-1}"\ne: *x\n', { NAME: 'v' });
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => source.hasVariable([key]))).toEqual(['a', 'd', 'e']);
  });
});

describe('mistakes', () => {
  it('of variables are placed where the variable is written', () => {
    expect(mistakesOf('a:\n  b: "x ${NONE} ${NOTHING}"\nc: ${NONE}\n')).toEqual([
      expect.stringMatching(/^2:9 a\.b the variable NONE is not set/),
      expect.stringMatching(/^2:17 a\.b the variable NOTHING is not set/),
      expect.stringMatching(/^3:4 c the variable NONE is not set/),
    ]);
  });

  it('of variables in a text with escapes are placed at the text, if not at the variable', () => {
    expect(mistakesOf('a: "\\x24{NONE}"\n')).toEqual([expect.stringMatching(/^1:4 a the variable NONE/)]);
  });

  it.each([
    [
      'a key that is written twice',
      'a: 1\nb:\n  c: 1\n  c: 2\na: 3\n',
      ['4:3 b.c is written twice, first on line 3; expected once', '5:1 a is written twice, first on line 1; expected once'],
    ],
    ['a list that is not closed', 'a: [1\nb: 2\n', ['1:4  begins a list that is never closed; expected ] at its end']],
    ['a tab', 'a:\n\tb: 1\n', ['2:1  is indented with a tab; YAML takes only spaces: expected two for each level']],
    [
      'an alias without an anchor',
      'a: *nope\n',
      ['1:4  no anchor of this name precedes this alias; text that begins with * must be in quotes'],
    ],
    [
      'a tag',
      'a: !env NAME\n',
      ['1:4  YAML syntax: Unresolved tag; expected plain YAML without tags, or quotes around a text that begins with !'],
    ],
    ['a second document', 'a: 1\n---\nb: 2\n', ['2:1  a second document begins here; expected one document, without ---']],
    [
      'a variable without quotes in a flow mapping',
      'a: { b: ${NAME} }\n',
      ['1:9  a variable inside { } or [ ] must be in quotes: "${NAME}"'],
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

  it.each([
    ['nothing', 'a: { <<: }\n', '1:6'],
    ['text', 'a:\n  <<: text\n', '2:3'],
    ['a list of more than mappings', 'a: &x {}\nb: { <<: [*x, 1] }\n', '2:6'],
  ])('of a merge key with %s stand at the key', (_what, text, place) => {
    expect(mistakesOf(text)).toEqual([
      expect.stringMatching(
        new RegExp(`^${place} [ab]\\.<< merges something other than a mapping; expected an alias of one, such as \\*name`),
      ),
    ]);
  });

  it('of two merge keys in one mapping are reported like any key that is written twice', () => {
    expect(mistakesOf('a: &x {}\nb:\n  <<: *x\n  <<: *x\n')).toEqual(['4:3 b.<< is written twice, first on line 3; expected once']);
  });
});

describe('merge keys', () => {
  const text =
    'x: &x { a: 1, b: { c: 1 } }\ny: &y { a: 2, d: "${NAME}" }\nz:\n  e: 5\n  <<: [*x, *y]\n  b: { c: 3 }\nlast: { <<: { <<: *y, e: 6 } }\n';
  const source = sourceOf(text, { NAME: 'v' });

  it('add what a mapping does not say itself, the first of several first, and merge what merged mappings merge', () => {
    expect(source.value).toMatchObject({ z: { a: 1, b: { c: 3 }, d: 'v', e: 5 }, last: { a: 2, d: 'v', e: 6 } });
    expect(sourceOf('%YAML 1.1\n---\nx: &x { a: 1 }\ny: { <<: *x }\n').value).toEqual({ x: { a: 1 }, y: { a: 1 } });
  });

  it('give a merged value the position where it was written', () => {
    const place = (path: (string | number)[], part?: 'key'): string => Object.values(source.positionOf(path, part)).join(':');
    expect(place(['z', 'a'])).toBe('1:12');
    expect(place(['z', 'd'], 'key')).toBe('2:15');
    expect(place(['z', 'b', 'c'])).toBe('6:11');
    expect(place(['last', 'a'])).toBe('2:12');
    expect(source.hasVariable(['last', 'd'])).toBe(true);
    expect(source.hasVariable(['last', 'a'])).toBe(false);
  });

  it('are ordinary keys in quotes', () => {
    expect(sourceOf('a: { "<<": 1 }\n').value).toEqual({ a: { '<<': 1 } });
  });

  it('and aliases give what the yaml library gives for them', () => {
    const mapping = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer());
    fc.assert(
      fc.property(
        fc.array(mapping, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(3), { maxLength: 4 }),
        mapping,
        (anchored, merged, own) => {
          const anchors = anchored.map((one, index) => `x${index}: &x${index} ${JSON.stringify(one)}\n`).join('');
          const aliases = merged.map((index) => `*x${index % anchored.length}`).join(', ');
          const file = `${anchors}y: { <<: [${aliases}]${Object.entries(own)
            .map(([key, value]) => `, ${key}: ${value}`)
            .join('')} }\nz: [${aliases}]\n`;
          expect(sourceOf(file).value).toEqual(parse(file, { merge: true }));
        },
      ),
    );
  });
});

describe('a file that would exhaust the process is refused', () => {
  it('when its aliases multiply without end, also by merge keys', () => {
    const bomb = (of: (level: number) => string): string =>
      `l0: &l0 { x: 1 }\n${Array.from({ length: 60 }, (_, level) => `l${level + 1}: &l${level + 1} ${of(level)}\n`).join('')}`;
    for (const of of [
      (level: number) => `{ x: ${`*l${level}`}, y: *l${level}, z: *l${level} }`,
      (level: number) => `{ <<: [*l${level}, *l${level}, *l${level}] }`,
    ])
      expect(mistakesOf(bomb(of))).toEqual([
        expect.stringMatching(
          /^\d+:\d+ {2}with its aliases expanded, the file has more than 250000 values from here on; expected fewer aliases of aliases$/,
        ),
      ]);
  });

  it('but not when an anchor is used as often as there may be jobs', () => {
    const file = `x: &x { a: 1, b: { c: 2 } }\njobs:\n${'  - { <<: *x, d: *x }\n'.repeat(10_000)}`;
    const source = sourceOf(file);
    expect((source.value as { jobs: unknown[] }).jobs).toHaveLength(10_000);
    expect(source.positionOf(['jobs', 9_999, 'b', 'c'])).toEqual({ line: 1, column: 23 });
  });

  it('when an alias stands for what holds it', () => {
    expect(mistakesOf('a: &a\n  b: [*a]\n')).toEqual(['2:7  this alias refers to a value that contains it; expected another anchor']);
    expect(mistakesOf('a: &a\n  <<: *a\n')).toEqual([expect.stringMatching(/^2:7 {2}this alias refers to a value that contains it/)]);
  });

  it.each([
    ['lists on one line', '['.repeat(400_000)],
    ['mappings on one line', '{a: '.repeat(200_000)],
    ['lists of lists', `${'- '.repeat(200_000)}x`],
    ['mappings by indentation', Array.from({ length: 1_000 }, (_, level) => `${' '.repeat(level)}a:\n`).join('')],
  ])('when it is nested too deep, by %s', (_what, text) => {
    expect(mistakesOf(text)).toEqual([expect.stringMatching(/^\d+:\d+ {2}is nested more than 64 levels deep; expected fewer$/)]);
  });

  it('when it is larger than 1 MiB', () => {
    expect(mistakesOf(`# ${'ä'.repeat(600_000)}\n`)).toEqual(['1:1  is larger than 1 MiB (1048576 bytes); expected a smaller file']);
    expect(mistakesOf(`# ${'a'.repeat(1_000_000)}\n`)).toEqual([]);
  });
});
