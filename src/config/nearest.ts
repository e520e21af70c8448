// "Did you mean ...?": the known name closest to what somebody typed. Swapped neighbours ("dekstop"), the most common typo, must count as
// one mistake. A package for 24 lines is not worth it.

/** Most characters of a name that are compared. */
const MAX_COMPARED = 200;
/** Fewest characters by whose beginning a name is known. */
const SHORTEST_BEGIN = 3;

/** Insertions, deletions, replacements and swaps of neighbours that turn `from` into `to` (optimal string alignment). */
export function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          at(previous, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, to.length);
}

/**
 * The candidate closest to `text`, ignoring case, or undefined if none is close: at most a
 * third of the longer word's characters may differ, so that short words are not taken for each other.
 */
export function nearestName(text: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let smallest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(text.toLowerCase(), candidate.toLowerCase());
    if (distance <= Math.max(text.length, candidate.length) / 3 && distance < smallest) [nearest, smallest] = [candidate, distance];
  }
  return nearest ?? nameWithPart(text, candidates);
}

/** The only candidate that ends in the words of `text`, or begins so: `fan-out` of ai_search_fan_out, `Berlin` of Europe/Berlin, `Mon` of monday. */
function nameWithPart(text: string, candidates: Iterable<string>): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  const part = plain(text);
  const onlyOf = (found: readonly string[]): string | undefined => (found.length === 1 ? found[0] : undefined);
  const all = [...candidates];
  return (
    onlyOf(all.filter((candidate) => plain(candidate).endsWith(`_${part}`))) ??
    (part.length < SHORTEST_BEGIN ? undefined : onlyOf(all.filter((candidate) => plain(candidate).startsWith(part))))
  );
}

/** `expected one of a, b; did you mean a?`, for an unknown name. */
export function expectOneOf(known: readonly string[], written: string): string {
  const nearest = nearestName(written, known);
  return `expected ${known.length > 1 ? 'one of ' : ''}${known.join(', ')}${nearest ? `; did you mean ${nearest}?` : ''}`;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** The `most` candidates closest to `text`, by the share that differs, ignoring case; those that contain it, or are contained in it, come first. */
export function nearestNames(text: string, candidates: readonly string[], most = 5): string[] {
  const given = text.toLowerCase().slice(0, MAX_COMPARED);
  const ranked = candidates.map((candidate) => {
    const name = candidate.toLowerCase().slice(0, MAX_COMPARED);
    const isPart = name.includes(given) || given.includes(name);
    return { candidate, distance: editDistance(given, name) / Math.max(given.length, name.length, 1) - (isPart ? 1 : 0) };
  });
  return ranked
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}
