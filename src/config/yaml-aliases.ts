// What the aliases of a YAML file stand for. Worked out in one walk, since the library looks for each by a walk of its own,
// and bounded: a few lines of aliases of aliases can stand for more values than a machine has memory.
import { type Alias, isAlias, isMap, isNode, isSeq, type Node } from 'yaml';

/** Values of a file with every alias counted as what it stands for: 10,000 jobs of 25 values. */
export const MAX_VALUES = 250_000;

export type Aliases = Readonly<{
  /** What each alias stands for. */
  targets: ReadonlyMap<Alias, Node>;
  mistakes: readonly Readonly<{ offset: number; text: string }>[];
}>;

/** Aliases without an anchor, aliases of what holds them, and the one that makes the file too large are mistakes. */
export function resolveAliases(root: Node | null): Aliases {
  const targets = new Map<Alias, Node>();
  const mistakes: { offset: number; text: string }[] = [];
  const anchors = new Map<string, Node>();
  /** Values in a node that was walked; none yet for a node that is still being walked. */
  const sizes = new Map<Node, number>();
  let total = 0;

  function resolve(alias: Alias): string | undefined {
    const target = anchors.get(alias.source);
    if (!target) return 'no anchor of this name stands before this alias; text that begins with * must stand in quotes';
    const size = sizes.get(target);
    if (size === undefined) return 'this alias stands for a value that holds it; expected another anchor';
    targets.set(alias, target);
    const wasWithin = total <= MAX_VALUES;
    total += size;
    return wasWithin && total > MAX_VALUES
      ? `with what its aliases stand for, the file has more than ${MAX_VALUES} values from here on; expected fewer aliases of aliases`
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
