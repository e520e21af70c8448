// Regular expressions of Postgres that find names in texts as whole words, whatever their case and accents. All letters are spelled out, because what
// Postgres knows of letters depends on the locale of the database, and folding each text would take longer than looking for all names at once.

/** Accents of Latin, Greek and Cyrillic letters (marks of other scripts make other letters), and characters without a shape: soft hyphens, joiners and the like. */
const IGNORED = '\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f' + '\\u00ad\\u200b-\\u200d\\u2060\\ufeff';
const IS_IGNORED = new RegExp(`[${IGNORED}]`, 'u');
const BLANKS = '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';
/** Characters that people and assistants write for one another. */
const LIKE = ['-\u2010\u2011\u2012\u2013', "'\u2019\u2018\u02bc`\u00b4", '"\u201c\u201d\u201e', '&\uff06'];
/** Letters that Unicode does not take apart, and two that it has twice. */
const PLAIN: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ß: 'ss', ς: 'σ' };
/** Scripts without blanks between words, or that join particles to them: a name of another script beside them stands alone. */
const UNSPACED =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LAST = 0x1ffff;

const escaped = (point: number): string =>
  point > 0xffff ? `\\U${point.toString(16).padStart(8, '0')}` : `\\u${point.toString(16).padStart(4, '0')}`;
const range = ([from, to]: readonly [number, number]): string => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`);
const oneOf = (characters: Iterable<string>): string => `[${[...characters].map((each) => escaped(each.codePointAt(0) ?? 0)).join('')}]`;

const MAYBE_IGNORED = `[${IGNORED}]*`;
const isIgnored = (character: string): boolean => IS_IGNORED.test(character);

/**
 * A text without case and accents. Letters that Unicode takes apart are what remains of them; only their look counts, not their language. Texts that
 * search_reports.folded of the database takes for one fold to one here, too; that function leaves accents alone, as the service may name Café and Cafe apart.
 */
export function foldedText(text: string): string {
  const bare = [...text.normalize('NFKD')].filter((character) => !isIgnored(character)).join('');
  const lower = bare.normalize('NFC').toUpperCase().toLowerCase().normalize('NFKD');
  return [...lower]
    .map((character) => (isIgnored(character) ? '' : (PLAIN[character] ?? character)))
    .join('')
    .normalize('NFC');
}

/** Whether a name has anything that it could be known by. */
export const isNameable = (name: string): boolean => /[\p{L}\p{Nd}]/u.test(foldedText(name));

const isWordCharacter = (character: string): boolean => /[\p{L}\p{Nd}]/u.test(character) && !UNSPACED.test(character);

/** Whether it is the only form of itself. */
const isPlain = (character: string): boolean =>
  character.toLowerCase() === character && character.toUpperCase() === character && character.normalize('NFKD') === character;

type Letters = Readonly<{
  /** By what they fold to. */
  variants: ReadonlyMap<string, readonly string[]>;
  /** Those that a whole word has none of beside it. */
  ofWords: string;
}>;
let letters: Letters | undefined;

/** Goes through all characters once, when the first name is configured. */
function knownLetters(): Letters {
  if (letters) return letters;
  const variants = new Map<string, string[]>();
  const ranges: [number, number][] = [];
  let isOpen = false;
  for (let point = 0; point <= LAST; point += 1) {
    if (point === 0xd800) point = 0xe000;
    const character = String.fromCodePoint(point);
    // Marks and what is not assigned go with what is before them, which makes a third of the ranges.
    if (!isIgnored(character) && !/[\p{M}\p{Cn}]/u.test(character)) isOpen = isWordCharacter(character);
    const last = ranges.at(-1);
    if (isOpen && !isIgnored(character)) {
      if (last?.[1] === point - 1) last[1] = point;
      else ranges.push([point, point]);
    }
    if (!isWordCharacter(character) || isPlain(character)) continue;
    const folded = foldedText(character);
    variants.set(folded, [...(variants.get(folded) ?? []), character]);
  }
  letters = { variants, ofWords: ranges.map(range).join('') };
  return letters;
}

/** What finds one spelling of a name, without what may stand beside it. */
function spellingPattern(spelling: string): string {
  const { variants } = knownLetters();
  const characters = [...foldedText(spelling).trim()];
  const single = (character: string): string => {
    if (BLANKS.includes(character)) return `${oneOf(BLANKS)}+`;
    const alike = LIKE.find((group) => group.includes(character)) ?? [character, ...(variants.get(character) ?? [])];
    return oneOf(new Set(alike)) + MAYBE_IGNORED;
  };
  let pattern = '';
  for (let at = 0; at < characters.length; at += 1) {
    const [character, next] = [characters[at] ?? '', characters[at + 1] ?? ''];
    if (BLANKS.includes(character) && BLANKS.includes(next)) continue;
    const joined = next === '' ? undefined : variants.get(character + next);
    if (!joined) pattern += single(character);
    else {
      pattern += `(?:${single(character)}${single(next)}|${oneOf(joined)}${MAYBE_IGNORED})`;
      at += 1;
    }
  }
  return pattern;
}

/**
 * A regular expression of Postgres, without flags and groups, that finds any of some names in a text as a whole word: neither a letter nor a digit stands beside
 * it. Of names that begin at one place the longest is found.
 */
export function namesPattern(names: readonly string[]): string {
  const { ofWords } = knownLetters();
  return `(?<![${ofWords}])(?:${names.map(spellingPattern).join('|')})(?![${ofWords}])`;
}
