// A YAML file as plain values that still know where they were written. Variables are put in after parsing, scalar by
// scalar, so that nothing in the environment can add structure to the file.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
} from 'yaml';
import { describeError } from '../core/errors.ts';
import type { Path, Position, Remark } from './remarks.ts';
import { type EnvironmentVariables, substituteVariables } from './variables.ts';
import { syntaxMistakes } from './yaml-syntax.ts';

export type YamlSource = Readonly<{
  /** Maps as objects, sequences as arrays, scalars with their variables put in. */
  value: unknown;
  /**
   * Where the value at `path` stands, or its key. For a path that is not in the file: where the nearest thing above it
   * stands, by its key if it has one.
   */
  positionOf(path: Path, part?: 'key' | 'value'): Position;
  /** Whether the scalar at `path` had variables in it. Their values are never shown. */
  hasVariable(path: Path): boolean;
  /** Whether the scalar at `path` lacks a variable, so that its text means nothing. */
  lacksVariable(path: Path): boolean;
}>;

/** What is gathered while a parsed document is walked. */
type Walk = Readonly<{
  text: string;
  env: EnvironmentVariables;
  positionAt: (offset: number) => Position;
  mistakes: Remark[];
  substituted: Set<Node>;
  unresolved: Set<Node>;
}>;

/** Reads YAML 1.2. The source is undefined when the syntax is broken, since nothing after that can be relied on. */
export function readYaml(text: string, env: EnvironmentVariables): { source: YamlSource | undefined; mistakes: Remark[] } {
  const lines = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const document = parseDocument(text, {
    lineCounter: lines,
    // Pretty errors quote the source line, which may hold a credential.
    prettyErrors: false,
    // 'silent' would also accept a second document, and ignore it.
    logLevel: 'error',
    // Not left to a %YAML directive: under 1.1, NO would be false and a date a timestamp.
    schema: 'core',
    stringKeys: true,
    // Looked for below, where their path is known.
    uniqueKeys: false,
  });
  const broken = syntaxMistakes(document, text, positionAt);
  if (broken.length > 0) return { source: undefined, mistakes: broken };

  const walk: Walk = { text, env, positionAt, mistakes: [], substituted: new Set(), unresolved: new Set() };
  readNode(document.contents, [], walk);
  try {
    const value: unknown = document.toJS();
    return { source: sourceOf(document, value, walk), mistakes: walk.mistakes };
  } catch (error) {
    // Aliases of aliases, multiplied without end.
    return { source: undefined, mistakes: [...walk.mistakes, { position: { line: 1, column: 1 }, path: [], text: describeError(error) }] };
  }
}

function sourceOf(document: Document.Parsed, value: unknown, walk: Walk): YamlSource {
  const isAmong = (nodes: ReadonlySet<Node>, path: Path): boolean => {
    const { node, isFound } = locate(document, path);
    const target = isAlias(node) ? node.resolve(document) : node;
    return isFound && target !== undefined && nodes.has(target);
  };
  return {
    value,
    positionOf(path, part = 'value') {
      const { pair, node, isFound } = locate(document, path);
      const offset = pair && (part === 'key' || !isFound) ? keyOffset(pair) : node?.range?.[0];
      return walk.positionAt(offset ?? 0);
    },
    hasVariable: (path) => isAmong(walk.substituted, path),
    lacksVariable: (path) => isAmong(walk.unresolved, path),
  };
}

function readNode(node: unknown, path: Path, walk: Walk): void {
  if (isScalar(node)) readScalar(node, path, walk);
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) readNode(item, [...path, index], walk);
  }
  if (!isMap(node)) return;
  const firstLines = new Map<string, number>();
  for (const pair of node.items) {
    const key = keyOf(pair);
    const place = { position: walk.positionAt(keyOffset(pair)), path: [...path, key] };
    // Objects take it for something else, and checks pass it by.
    if (key === '__proto__') walk.mistakes.push({ ...place, text: 'cannot be used as a key' });
    const first = firstLines.get(key);
    if (first === undefined) firstLines.set(key, place.position.line);
    else walk.mistakes.push({ ...place, text: `is written twice, first on line ${first}; expected once` });
    readNode(pair.value, place.path, walk);
  }
}

/** Puts the variables into a scalar, in place. */
function readScalar(scalar: Scalar, path: Path, walk: Walk): void {
  if (typeof scalar.value !== 'string' || !scalar.value.includes('${')) return;
  const { text, hasVariables, problems } = substituteVariables(scalar.value, walk.env);
  const [start, end] = scalar.range ?? [0, 0];
  const written = walk.text.slice(start, end);
  for (const problem of problems) {
    const position = walk.positionAt(start + offsetAsWritten(written, scalar.value, problem.offset));
    walk.mistakes.push({ position, path, text: problem.text });
  }
  scalar.value = text;
  if (hasVariables) walk.substituted.add(scalar);
  if (problems.length > 0) walk.unresolved.add(scalar);
}

/**
 * Offset in the file's spelling of the `${` that stands at `offset` of the scalar's value. Quotes, escapes and
 * indentation move characters, so openings are counted; where an escape hides one, the scalar's start is near enough.
 */
function offsetAsWritten(written: string, value: string, offset: number): number {
  const openings = (text: string): number[] => [...text.matchAll(/\$\{/g)].map((match) => match.index);
  const index = openings(value).indexOf(offset);
  const candidates = openings(written);
  return candidates.length === openings(value).length ? (candidates[index] ?? 0) : 0;
}

/** The node at a path and the pair that holds it, or the deepest ones on the way when the file has no such path. */
function locate(document: Document.Parsed, path: Path): { node: Node | undefined; pair: Pair | undefined; isFound: boolean } {
  let node: Node | undefined = document.contents ?? undefined;
  let pair: Pair | undefined;
  for (const step of path) {
    const collection: unknown = isAlias(node) ? node.resolve(document) : node;
    let next: unknown;
    let nextPair: Pair | undefined;
    if (isMap(collection)) {
      // The last of equal keys, as in the value.
      nextPair = collection.items.findLast((item) => keyOf(item) === step);
      next = nextPair?.value;
    } else if (isSeq(collection) && typeof step === 'number') next = collection.items[step];
    if (!isNode(next)) return { node, pair, isFound: false };
    node = next;
    pair = nextPair;
  }
  return { node, pair, isFound: true };
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}

function keyOffset(pair: Pair): number {
  return isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
}
