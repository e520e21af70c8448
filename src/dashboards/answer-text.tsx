// The text of an answer, with the brands that it names marked. All of it is text: no markup of an answer becomes HTML, and its links lead nowhere.
import type { ComponentChildren } from 'preact';

/** Names of brands to look for. */
export type Names = Readonly<{ ours: readonly string[]; rivals: readonly string[] }>;

export type Marking = Readonly<{
  mark: (text: string) => ComponentChildren;
  /** The names in a text, each once, as the brands are spelled. */
  namesIn: (text: string) => readonly string[];
  isOurs: (name: string) => boolean;
}>;

export function markingOf({ ours, rivals }: Names): Marking {
  const pattern = patternOf([...ours, ...rivals]);
  const lower = new Set(ours.map((name) => name.toLowerCase()));
  const spelled = new Map([...rivals, ...ours].map((name) => [name.toLowerCase(), name]));
  const isOurs = (name: string): boolean => lower.has(name.toLowerCase());
  return {
    isOurs,
    mark: (text) => emphasise(text, (plain) => markNames(plain, pattern, isOurs)),
    namesIn: (text) => [...new Set(findNames(text, pattern).map(({ name }) => spelled.get(name.toLowerCase()) ?? name))],
  };
}

/** What assistants write as headings and in bold stands so. All else of their markup is shown as they wrote it. */
const EMPHASIS = /\*\*([^*\n]+)\*\*|^#{1,6}[ \t]+(.+)$/gm;

function emphasise(text: string, mark: (plain: string) => ComponentChildren): ComponentChildren {
  const pieces: ComponentChildren[] = [];
  let from = 0;
  for (const { 0: whole, 1: bold, 2: heading, index } of text.matchAll(EMPHASIS)) {
    pieces.push(
      mark(text.slice(from, index)),
      <strong class={heading && 'heading'}>{mark(bold ?? heading?.replaceAll('**', '') ?? '')}</strong>,
    );
    from = index + whole.length;
  }
  return [...pieces, mark(text.slice(from))];
}

/** An address that holds a name does not name it: sources are listed below many answers. */
const ADDRESS = String.raw`(?:https?:\/\/|www\.)[^\s)\]]+`;

/** Finds the names in a text, the longest first, and not within longer words; and addresses, without a name. */
function patternOf(names: readonly string[]): RegExp | undefined {
  const escaped = names.toSorted((a, b) => b.length - a.length).map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return escaped.length > 0 ? new RegExp(`${ADDRESS}|(?<![\\p{L}\\p{N}])(${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu') : undefined;
}

function findNames(text: string, pattern: RegExp | undefined): readonly Readonly<{ name: string; index: number }>[] {
  if (!pattern) return [];
  return [...text.matchAll(pattern)].flatMap(({ 1: name, index }) => (name === undefined ? [] : [{ name, index }]));
}

function markNames(text: string, pattern: RegExp | undefined, isOurs: (name: string) => boolean): ComponentChildren {
  const pieces: ComponentChildren[] = [];
  let from = 0;
  for (const { name, index } of findNames(text, pattern)) {
    pieces.push(text.slice(from, index), <mark class={isOurs(name) ? 'ours' : undefined}>{name}</mark>);
    from = index + name.length;
  }
  return [...pieces, text.slice(from)];
}
