// Which names a text has, found a second time: by going through its words, without regular expressions of names and without any SQL.

/** Voices with the spellings of their names; that of ours is named by an empty text. */
export type Voices = ReadonlyMap<string, readonly string[]>;

const words = (text: string): string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** The voices whose names a text has, each once. Of names that begin at one word the longest is meant, and another may begin only after it. */
export function voicesIn(text: string, voices: Voices): ReadonlySet<string> {
  const names = [...voices].flatMap(([voice, spellings]) => spellings.map((spelling) => ({ voice, words: words(spelling) })));
  const found = new Set<string>();
  const said = words(text);
  for (let at = 0; at < said.length; ) {
    const [longest] = names
      .filter((name) => name.words.every((word, place) => said[at + place] === word))
      .toSorted((a, b) => b.words.length - a.words.length);
    if (longest) found.add(longest.voice);
    at += longest?.words.length ?? 1;
  }
  return found;
}

/** What answers with these texts say: NULL texts are not known. */
export function voicesOf(texts: readonly (string | null | undefined)[], voices: Voices) {
  const known = texts.flatMap((text) => (text ? [voicesIn(text, voices)] : []));
  return {
    texts: known.length,
    own: known.filter((found) => found.has('')).length,
    rivals: known.flatMap((found) => [...found].filter((voice) => voice !== '')).toSorted(),
  };
}
