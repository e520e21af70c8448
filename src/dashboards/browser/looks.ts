// The colour and mark of each line. A colour belongs to a name: it is chosen by the name, and once chosen it stays, so filters never change it.

export type Look = Readonly<{
  /** The number of the colour in the style sheet. */
  colour: number;
  /** The SVG path of the mark, 10 wide and 10 high. */
  mark: string;
}>;

/** Our own lines. */
const OURS = 1;
/** Colours of the style sheet for names. Lines that share one differ by their marks. */
const COLOURS = [2, 3, 4, 5, 6, 7, 8, 10];
/** Names that are often in one chart, so that they differ: assistants, search engines, devices, attributions and sentiments. */
const KNOWN: Readonly<Record<string, number>> = {
  chatgpt: 3,
  gemini: 5,
  perplexity: 8,
  googleaioverview: 2,
  googleaioverviews: 2,
  googleaimode: 4,
  copilot: 6,
  bingcopilot: 6,
  claude: 7,
  google: 2,
  bing: 3,
  desktop: 5,
  smartphone: 2,
  mobile: 2,
  tablet: 3,
  you: OURS,
  yours: OURS,
  competitor: 2,
  competitors: 2,
  positive: 3,
  neutral: 9,
  negative: 7,
};
/** Lines without a particular subject get the neutral colour. */
const NOBODY = /^\(?(?:absent|none|other|others|unknown)\)?$/;
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

type Named = Readonly<{ name: string; isOurs: boolean }>;

/** Colours of subjects that differ from the one of their name, since that was taken where they were first seen. */
export type Given = Map<string, number>;

/**
 * The looks of the lines of a chart. A name whose colour another line of the chart has gets the next free one, which `given` remembers. Where all are
 * taken, lines of one colour differ by their marks.
 */
export function looksOf(lines: readonly Named[], given: Given): ReadonlyMap<string, Look> {
  const uses = new Map<number, number>();
  const looks = new Map<string, Look>();
  const take = (name: string, colour: number): void => {
    const before = uses.get(colour) ?? 0;
    uses.set(colour, before + 1);
    looks.set(name, { colour, mark: MARKS[(colour - 1 + before) % MARKS.length] ?? '' });
  };
  const others = lines.filter(({ isOurs }) => !isOurs);
  for (const { name, isOurs } of lines) if (isOurs) take(name, OURS);
  const isSettled = (name: string): boolean => NOBODY.test(name) || given.has(subjectOf(name)) || subjectOf(name) in KNOWN;
  // Those whose colour is settled first, so that nobody else takes it.
  for (const { name } of others) if (isSettled(name)) take(name, given.get(subjectOf(name)) ?? colourOf(name));
  for (const { name } of others) {
    if (looks.has(name)) continue;
    const own = COLOURS.indexOf(colourOf(name));
    const turned = [...COLOURS.slice(own), ...COLOURS.slice(0, own)];
    const colour = turned.find((each) => !uses.has(each)) ?? colourOf(name);
    given.set(subjectOf(name), colour);
    take(name, colour);
  }
  return looks;
}

/** The colour of a name by itself. */
export function colourOf(name: string): number {
  if (NOBODY.test(name)) return NEUTRAL;
  const subject = subjectOf(name);
  return KNOWN[subject] ?? COLOURS[hash(subject) % COLOURS.length] ?? NEUTRAL;
}

/** FNV-1a, which spreads short texts evenly. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (const sign of text) sum = Math.imul(sum ^ (sign.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return (sum ^ (sum >>> 15)) >>> 0;
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
