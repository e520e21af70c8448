// What has changed from one text to another: by sentences, and within sentences that are alike by words. Each side is a list of parts, so that two
// columns can show them beside each other.
import { type ChangeObject, diffArrays } from 'diff';

/** A piece of one side: the same on both, or only on this one. */
export type Part = Readonly<{ text: string; isChanged: boolean }>;
/** Sentences in a row: those that both texts have, or what stands for each other in them. */
export type Passage = Readonly<{ same: readonly string[] }> | Readonly<{ before: readonly Part[]; now: readonly Part[] }>;

/** Sentences with a smaller share of words in common are others, and not the same ones in other words. */
const LEAST_ALIKE = 0.4;

const SENTENCES = new Intl.Segmenter('und', { granularity: 'sentence' });

/** The sentences of a text, and each line that is none, such as an item of a list. All lines end, so that one that is gone is not run into the next. */
export const sentencesOf = (text: string): string[] => Array.from(SENTENCES.segment(`${text.trimEnd()}\n`), ({ segment }) => segment);

/** Headings and what is in bold stay whole, as they would lose their look; then words, and what is between them. */
const WORDS = /^#{1,6}[ \t]+.+$|\*\*[^*\n]+\*\*|[\p{L}\p{N}]+|[^\p{L}\p{N}*#]+|[*#]/gmu;

type Changes = readonly ChangeObject<string[]>[];

/** Undefined where it would take longer than `timeoutMs`. */
const findChanges = (before: readonly string[], now: readonly string[], timeoutMs: number): Changes | undefined =>
  timeoutMs > 0 ? diffArrays([...before], [...now], { timeout: timeoutMs }) : undefined;

/** Undefined where it would take longer than `timeoutMs`. */
export function compareTexts(before: string, now: string, timeoutMs: number): Passage[] | undefined {
  const ends = performance.now() + timeoutMs;
  const changes = findChanges(sentencesOf(before), sentencesOf(now), timeoutMs);
  if (!changes) return undefined;
  const passages: Passage[] = [];
  for (let at = 0; at < changes.length; at += 1) {
    const { value, added, removed } = changes[at] ?? { value: [] };
    const next = changes[at + 1];
    if (!added && !removed) passages.push({ same: value });
    else if (removed && next?.added) {
      passages.push(compareWords(value.join(''), next.value.join(''), ends));
      at += 1;
    } else {
      const part = [{ text: value.join(''), isChanged: true }];
      passages.push(removed ? { before: part, now: [] } : { before: [], now: part });
    }
  }
  return passages;
}

function compareWords(before: string, now: string, ends: number): Passage {
  const others = { before: [{ text: before, isChanged: true }], now: [{ text: now, isChanged: true }] };
  const changes = findChanges(before.match(WORDS) ?? [], now.match(WORDS) ?? [], ends - performance.now());
  if (!changes) return others;
  const same = changes.reduce((sum, { value, added, removed }) => sum + (added || removed ? 0 : countLetters(value)), 0);
  if (same < LEAST_ALIKE * Math.max(countLetters([before]), countLetters([now]))) return others;
  const sideOf = (isOther: 'added' | 'removed'): Part[] =>
    changes.flatMap(({ value, added, removed, [isOther]: isLeftOut }) =>
      isLeftOut ? [] : [{ text: value.join(''), isChanged: added || removed }],
    );
  return { before: sideOf('added'), now: sideOf('removed') };
}

const countLetters = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.replaceAll(/[^\p{L}\p{N}]/gu, '').length, 0);

/** What a column shows: text, or how many sentences that are the same are left out. */
export type Shown = Part | Readonly<{ left: number }>;

/** One side, whole, or without the middle of passages that are the same. */
export function sideOf(passages: readonly Passage[], side: 'before' | 'now', isWhole: boolean): Shown[] {
  return passages.flatMap((passage, at): readonly Shown[] => {
    if (!('same' in passage)) return passage[side];
    const { same } = passage;
    const kept = (sentences: readonly string[]): Shown => ({ text: sentences.join(''), isChanged: false });
    // One sentence beside each change.
    const [first, last] = [at === 0 ? 0 : 1, at === passages.length - 1 ? 0 : 1];
    const left = same.length - first - last;
    if (isWhole || left < 2) return [kept(same)];
    return [kept(same.slice(0, first)), { left }, kept(same.slice(same.length - last))];
  });
}

/** The beginning of a side, at most `most` characters. */
export function cutSide(parts: readonly Shown[], most: number): Readonly<{ parts: readonly Shown[]; isCut: boolean }> {
  const cut: Shown[] = [];
  let room = most;
  for (const part of parts) {
    if (room <= 0) return { parts: cut, isCut: true };
    if ('left' in part || part.text.length <= room) cut.push(part);
    // Not within a letter of two units.
    else cut.push({ ...part, text: `${part.text.slice(0, room).replace(/[\uD800-\uDBFF]$/, '')}…` });
    room -= 'left' in part ? 0 : part.text.length;
  }
  return { parts: cut, isCut: room < 0 };
}
