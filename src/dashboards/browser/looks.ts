// The colour and mark of each line. A subject keeps its colour in all charts of a page if it is free, so that a brand is recognized.

export type Look = Readonly<{
  /** The number of the colour in the style sheet. */
  colour: number;
  /** The SVG path of the mark, 10 wide and 10 high. */
  mark: string;
}>;

/** Colours of the style sheet. If there are more lines, they share colours and differ by their marks. */
const COLOURS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
/** Lines without a particular subject get the neutral colour. Other lines get it last. */
const NOBODY = /^\(?(?:absent|none|other|unknown)\)?$/;
const NEUTRAL = 9;
/** All marks are filled: a hollow one would be filled with white on any background. */
const MARKS = [
  'M5 0A5 5 0 1 1 5 10A5 5 0 1 1 5 0Z',
  'M1 1H9V9H1Z',
  'M5 0L10 9H0Z',
  'M5 0L10 5L5 10L0 5Z',
  'M3.5 0H6.5V3.5H10V6.5H6.5V10H3.5V6.5H0V3.5H3.5Z',
  'M0 1H10L5 10Z',
  'M2 0L5 3L8 0L10 2L7 5L10 8L8 10L5 7L2 10L0 8L3 5L0 2Z',
  'M5 0L6.5 3.5L10 5L6.5 6.5L5 10L3.5 6.5L0 5L3.5 3.5Z',
];
/** Step between the marks of two uses of a colour. It has no common divisor with the number of marks, so every mark is used. */
const MARKS_PER_ROUND = 3;

/** Colours of the style sheet for the classes of a scale, from best to last. */
const SCALE = [11, 12, 13, 14, 15];

/** Names of classes for what is not on the scale: "not in the first 10". They are neutral. */
const NOT_FOUND = /^not /;
/** Names of classes for what was found but has no place on the scale. */
const WITHOUT_PLACE = /^without /;
const BESIDE_SCALE = 10;

/** The looks of the classes of a scale, given from best to last. What was not found is neutral. */
export function looksOfScale(names: readonly string[]): ReadonlyMap<string, Look> {
  const isNeutral = (name: string): boolean => NOBODY.test(name) || NOT_FOUND.test(name);
  const classes = names.filter((name) => !isNeutral(name) && !WITHOUT_PLACE.test(name));
  const last = Math.max(1, classes.length - 1);
  return new Map(
    names.map((name) => {
      const onScale = SCALE[Math.round((classes.indexOf(name) / last) * (SCALE.length - 1))] ?? NEUTRAL;
      const colour = isNeutral(name) ? NEUTRAL : WITHOUT_PLACE.test(name) ? BESIDE_SCALE : onScale;
      return [name, { colour, mark: MARKS[colour % MARKS.length] ?? '' }];
    }),
  );
}

export type Looks = (names: readonly string[]) => ReadonlyMap<string, Look>;

/** Returns a function that assigns looks chart by chart. Within a chart, lines that share a colour have different marks. */
export function createLooks(): Looks {
  const given = new Map<string, number>();
  return (names) => {
    const looks = new Map<string, Look>();
    const taken = new Map<number, number>(COLOURS.map((colour) => [colour, 0]));
    const take = (name: string, colour: number): void => {
      const round = taken.get(colour) ?? 0;
      taken.set(colour, round + 1);
      looks.set(name, { colour, mark: MARKS[(colour - 1 + round * MARKS_PER_ROUND) % MARKS.length] ?? '' });
    };
    for (const name of names) {
      const known = NOBODY.test(name) ? NEUTRAL : given.get(subjectOf(name));
      if (known !== undefined && (taken.get(known) === 0 || NOBODY.test(name))) take(name, known);
    }
    for (const name of names) {
      if (looks.has(name)) continue;
      const colour = leastTaken(taken, [...given.values()]);
      if (!given.has(subjectOf(name))) given.set(subjectOf(name), colour);
      take(name, colour);
    }
    return looks;
  };
}

/** The colour used least in the chart; among equals a neutral one comes last, then the one used least on the page. */
function leastTaken(taken: ReadonlyMap<number, number>, given: readonly number[]): number {
  const usesOf = (colour: number): number => given.filter((each) => each === colour).length;
  const isNeutral = (colour: number): number => Number(colour === NEUTRAL);
  const [best = NEUTRAL] = COLOURS.toSorted(
    (a, b) => (taken.get(a) ?? 0) - (taken.get(b) ?? 0) || isNeutral(a) - isNeutral(b) || usesOf(a) - usesOf(b),
  );
  return best;
}

/** The subject of a line: a brand and its site count as one. It decides only the colour. */
export function subjectOf(name: string): string {
  const bare = name.toLowerCase().trim();
  const labels = bare.split('.');
  // A domain has a dot and no space: acme.com, www.acme.co.uk.
  const isDomain = labels.length > 1 && !/\s/.test(bare);
  const isShort = (labels.at(-2) ?? '').length <= 3 && labels.length > 2;
  const subject = isDomain ? (labels.at(isShort ? -3 : -2) ?? bare) : bare;
  // "Fernweh Supply" and "fernweh-supply" are the same subject.
  return subject.replaceAll(/[^\p{L}\p{N}]/gu, '') || bare;
}
