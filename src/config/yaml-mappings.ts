// A parsed YAML file with its aliases followed and its merge keys (`<<`) applied: the pairs of each mapping, and the file as
// plain values. Both use one definition, so that a mistake is located where its value was written.
import { type Alias, isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';

export type Mappings = Readonly<{
  /** The target of an alias, or the node itself. */
  follow(node: unknown): unknown;
  /**
   * The pairs of a mapping by their keys: its own, the last of equal ones, then those it merges, the first of equal ones.
   * Invalid merge keys are ignored here.
   */
  pairsOf(map: YAMLMap): ReadonlyMap<string, Pair>;
  /** The mappings that a merge key names; undefined when its value is something else. */
  mergedBy(pair: Pair): YAMLMap[] | undefined;
  /** Maps as objects, sequences as arrays. The target of an alias is the same object at both locations. */
  plainValue(node: unknown): unknown;
}>;

/** `targets` has the target of each alias; none may contain its alias. */
export function readMappings(targets: ReadonlyMap<Alias, Node>): Mappings {
  const pairs = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  const values = new Map<Node, unknown>();
  const follow = (node: unknown): unknown => (isAlias(node) ? targets.get(node) : node);

  function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = pairs.get(map);
    if (known) return known;
    const found = new Map(map.items.flatMap((pair): [string, Pair][] => (isMergePair(pair) ? [] : [[keyOf(pair), pair]])));
    for (const merged of map.items.filter(isMergePair).flatMap((pair) => mergedBy(pair) ?? [])) {
      for (const [key, pair] of pairsOf(merged)) if (!found.has(key)) found.set(key, pair);
    }
    pairs.set(map, found);
    return found;
  }

  function mergedBy(pair: Pair): YAMLMap[] | undefined {
    const source = follow(pair.value);
    const sources = isSeq(source) ? source.items.map(follow) : [source];
    return sources.every((one) => isMap(one)) ? sources : undefined;
  }

  function plainValue(written: unknown): unknown {
    const node = follow(written);
    if (isScalar(node)) return node.value;
    if (!isNode(node)) return null;
    if (!values.has(node)) values.set(node, collectionOf(node));
    return values.get(node);
  }

  function collectionOf(node: Node): unknown {
    if (isSeq(node)) return node.items.map(plainValue);
    // Unlike an assignment, this treats __proto__ as a key.
    return isMap(node) ? Object.fromEntries([...pairsOf(node)].map(([key, pair]) => [key, plainValue(pair.value)])) : null;
  }

  return { follow, pairsOf, mergedBy, plainValue };
}

/** Whether a pair is a merge: `<<` as a key, without quotes. */
export function isMergePair(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.value === '<<' && pair.key.type === 'PLAIN';
}

export function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}
