// The targets of the aliases of a YAML file. Resolved in one walk, since the library walks the file for each alias,
// and limited: a few lines of aliases of aliases can expand to more values than fit into memory.
import { type Alias, isAlias, isMap, isNode, isSeq, type Node } from 'yaml';

/** Values of a file with all aliases expanded: 10,000 jobs of 25 values. */
export const MAX_VALUES = 250_000;

export type Aliases = Readonly<{
  /** The target of each alias. */
  targets: ReadonlyMap<Alias, Node>;
  mistakes: readonly Readonly<{ offset: number; text: string }>[];
}>;

/** Aliases without an anchor, aliases of a value that contains them, and the alias that makes the file too large. */
export function resolveAliases(root: Node | null): Aliases {
  const targets = new Map<Alias, Node>();
  const mistakes: { offset: number; text: string }[] = [];
  const anchors = new Map<string, Node>();
  /** Values in a node that was walked; none yet for a node that is still being walked. */
  const sizes = new Map<Node, number>();
  let total = 0;

  function resolve(alias: Alias): string | undefined {
    const target = anchors.get(alias.source);
    if (!target) return 'no anchor of this name precedes this alias; text that begins with * must be in quotes';
    const size = sizes.get(target);
    if (size === undefined) return 'this alias refers to a value that contains it; expected another anchor';
    targets.set(alias, target);
    const wasWithin = total <= MAX_VALUES;
    total += size;
    return wasWithin && total > MAX_VALUES
      ? `with its aliases expanded, the file has more than ${MAX_VALUES} values from here on; expected fewer aliases of aliases`
      : undefined;
  }

  function walk(node: unknown): void {
    if (!isNode(node)) return;
    if (isAlias(node)) {
      const text = resolve(node);
      if (text) mistakes.push({ offset: node.range?.[0] ?? 0, text });
      return;
    }
    if (node.anchor) anchors.set(node.anchor, node);
    const before = total;
    total += 1;
    const children: unknown[] = isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : isSeq(node) ? node.items : [];
    for (const child of children) walk(child);
    sizes.set(node, total - before);
  }

  walk(root);
  return { targets, mistakes };
}
