// The news of a week against another one, computed a second time from the rows by what the panel News says of itself, without any SQL: which sentences
// there are, what each says, its amount in points and whether it is more than chance.
import { groupBy } from '../../src/core/group-by.ts';
import type { MeasuredWorld } from './measured-worlds.ts';
import { bareDomain, type Loads, ownOf, promptsOf, type SearchChoices, searchesOf, type Unit } from './second-facts.ts';
import { changeOf, contributionsOf, levelOf, noiseOf } from './second-figures.ts';
import { counted, nameOf, type Pair, quoted, type Sentence, sumOf, testedOf, withPoints } from './second-told.ts';
import type { Part } from './told-sentences.ts';

/** Filters of a reader: null chooses all. */
export type NewsChoices = SearchChoices &
  Readonly<
    Record<'web_property_id' | 'engine' | 'country' | 'device' | 'group' | 'assistant' | 'topic', string | null> & { kind: string | null }
  >;
/** The chosen units of each week, of searches and of prompts. */
export type NewsUnits = Readonly<{ searches: readonly Unit[][]; counted: readonly Unit[][]; prompts: readonly Unit[][] }>;

const NEAR = 1e-9;
/** The chosen units of a world. */
export function newsUnits(loads: Loads, of: MeasuredWorld, choices: NewsChoices): NewsUnits {
  const own = ownOf(loads, of.own);
  const isOf = (chosen: string | null, value: string | undefined): boolean => chosen === null || chosen === value;
  const hasVolumes = loads
    .flat()
    .some(({ dataset, rows }) => dataset === 'keyword_rankings' && rows.some((row) => row.average_search_volume != null));
  const searches = (isByVolume: boolean): Unit[][] =>
    loads.map((week) =>
      searchesOf(week, own, { ...choices, isByVolume }).filter(
        ({ of: unit, groups }) =>
          (['web_property_id', 'engine', 'country', 'device'] as const).every((name) => isOf(choices[name], unit[name])) &&
          (choices.group === null || groups.includes(choices.group)),
      ),
    );
  const kinds = new Map<string, string>();
  const prompts = loads.map((week) =>
    promptsOf(week, own, kinds, of.voices).filter(
      ({ of: unit }) =>
        (['web_property_id', 'country', 'assistant', 'topic'] as const).every((name) => isOf(choices[name], unit[name])) &&
        isOf(choices.kind, unit.prompt_type),
    ),
  );
  return { searches: searches(choices.isByVolume && hasVolumes), counted: searches(false), prompts };
}

/** Whether a change is more than chance, in the words of the product. */
function readingOf({ now, before }: Pair, measure: string): string | null {
  const { noise } = noiseOf(now, before, measure);
  const change = changeOf(now, before, measure)?.likeForLike;
  if (noise === null || change === undefined) return null;
  return Math.abs(change) <= noise ? 'within noise' : change > 0 ? 'more' : 'less';
}

/** By text: the sum of what units with it add by what happened, in points; without those that add nothing. */
function pointsBy(contributions: ReturnType<typeof contributionsOf>, textOf: (unit: Unit) => string): [string, number][] {
  const points = new Map<string, number>();
  for (const { unit, happened } of contributions) points.set(textOf(unit), (points.get(textOf(unit)) ?? 0) + 100 * happened);
  return [...points].filter(([, each]) => Math.abs(each) > NEAR);
}

export function searchSentences({ now, before }: Pair): Sentence[] {
  const keywords = pointsBy(contributionsOf(now, before, 'visibility'), ({ of }) => String(of.keyword));
  const earlier = new Map(before.map((unit) => [nameOf(unit), unit]));
  const moved = now.flatMap((unit) => {
    const old = earlier.get(nameOf(unit));
    if (!old || !unit.figures.placed || !old.figures.placed) return [];
    return [{ place: unit.place ?? null, old: old.place ?? null, depth: unit.depth ?? null, oldDepth: old.depth ?? null }];
  });
  const isWithin = (place: number | null, depth: number | null): boolean => place !== null && (depth === null || place <= depth);
  const lost = moved.filter(({ place, old, depth }) => place === null && isWithin(old, depth));
  const won = moved.filter(({ place, old, oldDepth }) => old === null && isWithin(place, oldDepth));
  const depths = lost.flatMap(({ depth }) => depth ?? []);
  const [least, most] = [Math.min(...depths), Math.max(...depths)];
  const ends: Readonly<Record<string, string>> = {
    won: won.length > 0 ? `; ${counted(won.length, 'search shows', 'searches show')} us that did not` : '',
    lost:
      lost.length > 0
        ? `; ${counted(lost.length, 'search shows', 'searches show')} us no more${depths.length > 0 ? ` within the first ${least < most ? `${least} to ` : ''}${most}` : ''}`
        : '',
  };
  return (['won', 'lost'] as const).flatMap((side) => {
    const names = keywords.filter(([, points]) => points > 0 === (side === 'won'));
    if (names.length === 0) return [];
    return [
      {
        what: `Searches ${side}`,
        parts: [`${counted(names.length, 'keyword')} ${side} first places: `, { names, shows: withPoints }, ends[side] ?? ''],
        points: sumOf(names.map(([, points]) => points)),
        reading: readingOf({ now, before }, 'visibility'),
      },
    ];
  });
}

const ofAssistant = (units: readonly Unit[], assistant: string): Unit[] => units.filter(({ of }) => of.assistant === assistant);

export function promptSentences({ now, before }: Pair): Sentence[] {
  const isNaming = ({ figures }: Unit): boolean => Number(figures.mention_rate?.part) > 0;
  const named = new Map(before.map((unit) => [nameOf(unit), isNaming(unit)]));
  const textOf = ({ of }: Unit): string => JSON.stringify([of.prompt, of.assistant]);
  const unmet = new Set(now.flatMap((unit) => (unit.doubts.has('mention_rate') ? textOf(unit) : [])));
  const hasBoth = new Set(
    contributionsOf(
      now.filter(({ figures }) => Number(figures.mention_rate?.whole) > 0),
      before.filter(({ figures }) => Number(figures.mention_rate?.whole) > 0),
      'mention_rate',
    ).map(({ unit }) => nameOf(unit)),
  );
  const moved = contributionsOf(now, before, 'mention_rate').filter(
    ({ unit }) =>
      hasBoth.has(nameOf(unit)) &&
      isNaming(unit) !== named.get(nameOf(unit)) &&
      // A prompt without a text has no other row that may be of it.
      (unit.of.prompt === '(none)' || unit.of.assistant === '(none)' || !unmet.has(textOf(unit))),
  );
  const assistants = [...new Set([...now, ...before].map(({ of }) => String(of.assistant)))];
  const pairOf = (assistant: string): Pair => ({ now: ofAssistant(now, assistant), before: ofAssistant(before, assistant) });
  const tested = testedOf(assistants, pairOf, 'mention_rate');
  return [...groupBy(moved, ({ unit }) => `${isNaming(unit) ? 'won' : 'lost'}: ${unit.of.assistant}`)].map(([side, own]) => {
    const assistant = side.slice(side.indexOf(': ') + 2);
    const names = pointsBy(own, ({ of }) => String(of.prompt));
    const { now: newer, before: older } = pairOf(assistant);
    const [level, levelBefore] = [levelOf(newer, 'mention_rate').level, levelOf(older, 'mention_rate').level];
    const rates: Part[] =
      level === null || levelBefore === null
        ? []
        : [
            '; ',
            { number: 100 * level, apartFrom: 100 * levelBefore },
            ' % of its answers name us, before ',
            { number: 100 * levelBefore, apartFrom: 100 * level },
            ' %',
          ];
    return {
      what: `Prompts ${side}`,
      parts: [
        `${assistant} ${side.startsWith('won') ? 'began' : 'stopped'} naming us in answers to ${counted(names.length, 'prompt')}: `,
        { names, shows: quoted },
        ...rates,
      ],
      points: sumOf(names.map(([, points]) => points)),
      reading: tested.isTold(assistant) ? readingOf(pairOf(assistant), 'mention_rate') : tested.has(assistant) ? 'within noise' : null,
      isClose: tested.isClose,
    };
  });
}

/** `said`: all sentences of all weeks before. */
export function criticismSentences({ now, before }: Pair, said: ReadonlySet<string>): Sentence[] {
  const assistants = [...new Set([...now, ...before].map(({ of }) => String(of.assistant)))];
  const pairOf = (assistant: string): Pair => ({ now: ofAssistant(now, assistant), before: ofAssistant(before, assistant) });
  const tested = testedOf(assistants, pairOf, 'criticism');
  return assistants.flatMap((assistant): Sentence[] => {
    const { now: newer, before: older } = pairOf(assistant);
    const change = changeOf(newer, older, 'criticism');
    if (!change || !(tested.isTold(assistant) || tested.isClose)) return [];
    const way = change.likeForLike > 0 ? 'more' : 'less';
    const fresh = [...new Set(newer.flatMap(({ complaints }) => complaints ?? []))].filter((each) => !said.has(each));
    const own = contributionsOf(now, before, 'criticism').filter(({ unit }) => unit.of.assistant === assistant);
    const quote: Part[] =
      way === 'less' || fresh.length === 0
        ? []
        : [
            '; new since this week: ',
            // Any of them may be the first.
            { names: fresh.map((each) => [each, 1] as const), shows: quoted, most: 1, rest: (amount) => ` and ${amount} more` },
          ];
    return [
      {
        what: `Criticism: ${assistant}`,
        parts: [
          `${assistant} criticises us ${way} often: `,
          { number: 100 * change.level },
          ' % of its mentions are negative, ',
          { number: 100 * Math.abs(change.likeForLike) },
          ` points ${way}`,
          ...quote,
        ],
        points: 100 * sumOf(own.map(({ happened, byWeight }) => happened + byWeight)),
        reading: way,
        isClose: tested.isClose,
      },
    ];
  });
}

/** A page whatever its scheme, www., fragment and tracking parameters. */
function pageOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  const kept = [...searchParams].filter(([name]) => !name.startsWith('utm_')).map(([name, value]) => `${name}=${value}`);
  return `${bareDomain(host)}${pathname}${kept.length > 0 ? `?${kept.join('&')}` : ''}`.replace(/\/+$/, '');
}

export function pageSentences({ now, before }: Pair): Sentence[] {
  const shown = (units: readonly Unit[]): Unit[] => units.filter(({ figures }) => figures.own_citations);
  const [newer, older] = [shown(now), shown(before)];
  const isIn = (units: readonly Unit[], unit: Unit): boolean => units.some((other) => nameOf(other) === nameOf(unit));
  const both = { now: newer.filter((unit) => isIn(older, unit)), before: older.filter((unit) => isIn(newer, unit)) };
  const pages = (units: readonly Unit[]): string[] => units.flatMap(({ ownPages }) => ownPages ?? []).map(pageOf);
  const sides = [
    { what: 'Pages cited newly', words: 'cited newly', sign: 1, kept: both.now, others: pages(older) },
    { what: 'Pages cited no more', words: 'cited no more', sign: -1, kept: both.before, others: pages(newer) },
  ];
  return sides.flatMap(({ what, words, sign, kept, others }): Sentence[] => {
    const names = [...groupBy(pages(kept), (page) => page)]
      .map(([page, all]): [string, number] => [page, all.length])
      .filter(([page, amount]) => amount > 1 && !others.includes(page));
    if (names.length === 0) return [];
    // Of a tracked prompt of which only our citations were asked for no share is known.
    const known = kept.filter(({ figures }) => figures.citation_share);
    const whole = sumOf(known.map(({ figures }) => Number(figures.citation_share?.whole)));
    const told = new Set(names.map(([page]) => page));
    const part = pages(known).filter((page) => told.has(page)).length;
    const points = part > 0 ? (sign * 100 * part) / whole : null;
    const all = sumOf(names.map(([, amount]) => amount));
    return [
      {
        what,
        parts: [
          `${counted(names.length, 'page')} of ours ${names.length === 1 ? 'is' : 'are'} ${words}, ${all} citations`,
          ...(points === null ? [] : [' (', { points }, ' points of the citation share)']),
          ': ',
          { names, shows: (name: string, amount: number) => [`${name} (${amount})`] },
        ],
        points,
        reading: readingOf({ now, before }, 'citation_share'),
      },
    ];
  });
}

const MISSING = 0.2;
const TITLES: Readonly<Record<string, string>> = { visibility: 'Visibility', mention_rate: 'Mention rate', found: '' };

/** `isThere`: whether a week has the figure. */
export function recoverySentences(
  units: readonly Unit[][],
  measure: string,
  [before, now]: readonly [number, number],
  { weeks, isThere }: Readonly<{ weeks: readonly string[]; isThere: (at: number) => boolean }>,
): Sentence[] {
  const changeBetween = (newer: number, older: number) => changeOf(units[newer] ?? [], units[older] ?? [], measure);
  const has = (at: number): boolean => isThere(at) && levelOf(units[at] ?? [], measure).level !== null;
  const rise = changeBetween(now, before)?.likeForLike ?? 0;
  const fall = before === 1 && has(0) && has(1) ? changeBetween(1, 0)?.likeForLike : undefined;
  const since = changeBetween(now, 0);
  if (fall === undefined || !since || fall >= -NEAR || rise <= NEAR) return [];
  const { noise } = noiseOf(units[1] ?? [], units[0] ?? [], measure);
  if (noise === null || Math.abs(fall) <= noise * (1 - 1e-4) || since.likeForLike < MISSING * fall - NEAR) return [];
  const [share, shareBefore] = [since.level - since.added, since.levelBefore + since.dropped];
  const keys = new Set((units[0] ?? []).flatMap((unit) => (unit.figures[measure] ? nameOf(unit) : [])));
  const both = (units[now] ?? []).filter((unit) => unit.figures[measure] && keys.has(nameOf(unit))).length;
  const isWhole = since.matched > 1 - NEAR;
  const things = measure === 'mention_rate' ? 'prompts' : 'searches';
  return [
    {
      what: `Back: ${measure === 'found' ? 'Searches that find us' : TITLES[measure]}`,
      parts: [
        ...(measure === 'found'
          ? [
              `${Math.round(share * both)} searches find us; before the fall in the week of ${weeks[1]}, ${Math.round(shareBefore * both)} did`,
            ]
          : [
              `${TITLES[measure]} is back at `,
              { number: 100 * share, apartFrom: 100 * shareBefore },
              ` %; before the fall in the week of ${weeks[1]}, it was `,
              { number: 100 * shareBefore, apartFrom: 100 * share },
              ' %',
            ]),
        isWhole ? '' : `, of the ${things} that both weeks have`,
      ],
      points: 100 * rise,
      reading: 'more',
      isClose: Math.abs(Math.abs(fall) - noise) <= noise * 1e-3 || Math.abs(since.likeForLike - MISSING * fall) <= NEAR,
    },
  ];
}
