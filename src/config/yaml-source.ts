// A YAML file as plain values with their positions. Variables are replaced after parsing, scalar by
// scalar, so that nothing in the environment can add structure to the file.
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, type Scalar } from 'yaml';
import type { Path, Position, Remark } from './remarks.ts';
import { type EnvironmentVariables, substituteVariables } from './variables.ts';
import { resolveAliases } from './yaml-aliases.ts';
import { exceededBound } from './yaml-bounds.ts';
import { isMergePair, keyOf, type Mappings, readMappings } from './yaml-mappings.ts';
import { syntaxMistakes } from './yaml-syntax.ts';

export type YamlSource = Readonly<{
  /** Maps as objects, sequences as arrays, scalars with their variables replaced, aliases and merge keys expanded. */
  value: unknown;
  /**
   * Where the value at `path` stands, or its key. Of what an alias or a merge key stands for: where it was written. For a path that
   * is not in the file: where the nearest thing above it stands, by its key if it has one.
   */
  positionOf(path: Path, part?: 'key' | 'value'): Position;
  /** A remark about the value at `path`, or about its key. */
  remark(path: Path, text: string, part?: 'key' | 'value'): Remark;
  /** Whether the scalar at `path` had variables in it. Their values are never shown. */
  hasVariable(path: Path): boolean;
  /** The scalar at `path` as it is written, without quotes; undefined for other values. */
  writtenAt(path: Path): string | undefined;
  /** Whether the scalar at `path` has the default of a variable that is not set. */
  usesDefault(path: Path): boolean;
  /** Whether the scalar at `path` lacks a variable, so that its text is meaningless. */
  lacksVariable(path: Path): boolean;
}>;

/** Of a key between commas. */
export const NO_VALUE =
  'has no value: inside { } a comma begins the next field; expected "name: value", or a list in [ ], or a text in quotes';

/** Of a merge key. */
export const MERGES_OTHER = 'merges something other than a mapping; expected an alias of one, such as *name, or a list of them';

/** What is collected while a parsed document is walked. */
type Walk = Readonly<{
  text: string;
  env: EnvironmentVariables;
  mappings: Mappings;
  positionAt: (offset: number) => Position;
  mistakes: Remark[];
  substituted: Set<Node>;
  defaulted: Set<Node>;
  unresolved: Set<Node>;
}>;

/**
 * Reads YAML 1.2 with the merge keys of YAML 1.1. The source is undefined if the syntax is broken or a limit exceeded, since
 * nothing after that is reliable.
 */
export function readYaml(text: string, env: EnvironmentVariables): { source: YamlSource | undefined; mistakes: Remark[] } {
  const exceeded = exceededBound(text);
  if (exceeded) return { source: undefined, mistakes: [exceeded] };

  const lines = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const document = parseDocument(text, {
    lineCounter: lines,
    // Pretty errors quote the source line, which may contain a credential.
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
  const aliases = resolveAliases(document.contents);
  // In a file that the parser could not read, an anchor that is there may seem to be missing.
  if (broken.length === 0)
    broken.push(...aliases.mistakes.map(({ offset, text: sentence }) => ({ position: positionAt(offset), path: [], text: sentence })));
  if (broken.length > 0) return { source: undefined, mistakes: broken };

  const mappings = readMappings(aliases.targets);
  const walk: Walk = { text, env, mappings, positionAt, mistakes: [], substituted: new Set(), defaulted: new Set(), unresolved: new Set() };
  readNode(document.contents, [], walk);
  return { source: sourceOf(document, walk), mistakes: walk.mistakes };
}

function sourceOf(document: Document.Parsed, { mappings, positionAt, substituted, defaulted, unresolved }: Walk): YamlSource {
  const isAmong = (nodes: ReadonlySet<unknown>, path: Path): boolean => {
    const { node, isFound } = locate(document, path, mappings);
    return isFound && nodes.has(mappings.follow(node));
  };
  const positionOf = (path: Path, part: 'key' | 'value' = 'value'): Position => {
    const { pair, node, isFound } = locate(document, path, mappings);
    const offset = pair && (part === 'key' || !isFound) ? keyOffset(pair) : node?.range?.[0];
    return positionAt(offset ?? 0);
  };
  return {
    value: mappings.plainValue(document.contents),
    positionOf,
    remark: (path, text, part) => ({ position: positionOf(path, part), path, text }),
    writtenAt: (path) => {
      const { node, isFound } = locate(document, path, mappings);
      const scalar = mappings.follow(node);
      return isFound && isScalar(scalar) ? scalar.source : undefined;
    },
    hasVariable: (path) => isAmong(substituted, path),
    usesDefault: (path) => isAmong(defaulted, path),
    lacksVariable: (path) => isAmong(unresolved, path),
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
    const location = { position: walk.positionAt(keyOffset(pair)), path: [...path, key] };
    // In objects it has another meaning, and checks would miss it.
    if (key === '__proto__') walk.mistakes.push({ ...location, text: 'cannot be used as a key' });
    const first = firstLines.get(key);
    if (first === undefined) firstLines.set(key, location.position.line);
    else walk.mistakes.push({ ...location, text: `is written twice, first on line ${first}; expected once` });
    if (isMergePair(pair) && !walk.mappings.mergedBy(pair)) walk.mistakes.push({ ...location, text: MERGES_OTHER });
    if (node.flow && pair.value === null) walk.mistakes.push({ ...location, text: NO_VALUE });
    readNode(pair.value, location.path, walk);
  }
}

/** Replaces the variables of a scalar, in place. */
function readScalar(scalar: Scalar, path: Path, walk: Walk): void {
  if (scalar.value === null && scalar.anchor !== undefined) {
    const text = 'is an anchor without a value; text that begins with & must be in quotes';
    walk.mistakes.push({ position: walk.positionAt((scalar.range?.[0] ?? 0) - scalar.anchor.length - 1), path, text });
    walk.unresolved.add(scalar);
  }
  if (typeof scalar.value !== 'string' || !scalar.value.includes('${')) return;
  const { text, hasVariables, usesDefault, problems } = substituteVariables(scalar.value, walk.env);
  const [start, end] = scalar.range ?? [0, 0];
  const written = walk.text.slice(start, end);
  for (const problem of problems) {
    const position = walk.positionAt(start + offsetAsWritten(written, scalar.value, problem.offset));
    walk.mistakes.push({ position, path, text: problem.text, ...(problem.isMissing && { lacksVariable: true }) });
  }
  scalar.value = text;
  if (hasVariables) walk.substituted.add(scalar);
  if (usesDefault) walk.defaulted.add(scalar);
  if (problems.length > 0) walk.unresolved.add(scalar);
}

/**
 * Offset in the file of the `${` at `offset` in the scalar's value. Quotes, escapes and
 * indentation shift characters, so openings are counted; if an escape hides one, the scalar's start is close enough.
 */
function offsetAsWritten(written: string, value: string, offset: number): number {
  const openings = (text: string): number[] => [...text.matchAll(/\$\{/g)].map((match) => match.index);
  const index = openings(value).indexOf(offset);
  const candidates = openings(written);
  return candidates.length === openings(value).length ? (candidates[index] ?? 0) : 0;
}

/** The node at a path and its pair, or the deepest ones on the way if the file has no such path. */
function locate(
  document: Document.Parsed,
  path: Path,
  { follow, pairsOf }: Mappings,
): { node: Node | undefined; pair: Pair | undefined; isFound: boolean } {
  let node: Node | undefined = document.contents ?? undefined;
  let pair: Pair | undefined;
  for (const step of path) {
    const collection = follow(node);
    const nextPair = isMap(collection) && typeof step === 'string' ? pairsOf(collection).get(step) : undefined;
    const next: unknown = isSeq(collection) && typeof step === 'number' ? collection.items[step] : nextPair?.value;
    if (!isNode(next)) return { node, pair, isFound: false };
    node = next;
    pair = nextPair;
  }
  return { node, pair, isFound: true };
}

function keyOffset(pair: Pair): number {
  return isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
}
