// Sentences about rivals, computed a second time: whose share of the first places changed by more than chance, and in which keywords one gained what the
// other lost.
import { NO_PAGE, type Unit } from './second-facts.ts';
import { changeOf, contributionsOf } from './second-figures.ts';
import { nameOf, type Pair, type Sentence, sumOf, testedOf, withPoints } from './second-told.ts';
import type { Part } from './told-sentences.ts';

const NEAR = 1e-9;
const FIGURE = 'of the site';
/** What a site holds of the first places of searches, as a figure of these. */
const ofSite = (units: readonly Unit[], site: string): Unit[] =>
  units.map((unit) => {
    const { first_places: whole, visibility } = unit.figures;
    const held = unit.sites?.get(site) ?? 0;
    return {
      ...unit,
      figures: {
        visibility: visibility ?? null,
        [FIGURE]: whole ? { part: (whole.whole * held) / (unit.places ?? 1), whole: whole.whole } : null,
      },
    };
  });

/** Sites that lie above or below one of ours are not rivals. */
const isOurs = (site: string, own: readonly string[]): boolean =>
  own.some((each) => `.${site}`.endsWith(`.${each}`) || each.endsWith(`.${site}`));

export function rivalSentences({ now, before }: Pair, own: readonly string[]): Sentence[] {
  const held = [...now, ...before].flatMap((unit) => (unit.figures.first_places ? [...(unit.sites ?? new Map()).keys()] : []));
  const sites = [...new Set(held)].filter((site) => site !== NO_PAGE && !isOurs(site, own));
  const pairOf = (site: string): Pair => ({ now: ofSite(now, site), before: ofSite(before, site) });
  const tested = testedOf(sites, pairOf, FIGURE);
  return sites.flatMap((site): Sentence[] => {
    const pair = pairOf(site);
    const change = changeOf(pair.now, pair.before, FIGURE);
    if (!change || !(tested.isTold(site) || tested.isClose)) return [];
    const isMore = change.likeForLike > 0;
    const shown = (units: readonly Unit[]): Unit[] => units.filter(({ figures }) => figures.visibility && figures[FIGURE]);
    const theirs = new Map(contributionsOf(shown(pair.now), shown(pair.before), FIGURE).map((each) => [nameOf(each.unit), each.happened]));
    const taken = new Map<string, number>();
    for (const { unit, happened } of contributionsOf(shown(pair.now), shown(pair.before), 'visibility')) {
      const other = theirs.get(nameOf(unit)) ?? 0;
      if (happened * other >= 0 || happened > 0 === isMore || Math.min(Math.abs(happened), Math.abs(other)) < 1e-13) continue;
      const points = 100 * Math.sign(happened) * Math.min(Math.abs(happened), Math.abs(other));
      taken.set(String(unit.of.keyword), (taken.get(String(unit.of.keyword)) ?? 0) + points);
    }
    const names = [...taken].filter(([, points]) => Math.abs(points) > NEAR);
    const total = Math.abs(sumOf(names.map(([, points]) => points)));
    const between: Part[] =
      names.length === 0
        ? []
        : [isMore ? '; it took ' : '; we took ', { number: total }, isMore ? ' from us: ' : ' from it: ', { names, shows: withPoints }];
    return [
      {
        what: `Rival: ${site}`,
        parts: [
          `${site} holds `,
          ...(change.level < NEAR ? ['none'] : [{ number: 100 * change.level }, ' %']),
          ' of the first places, ',
          { number: 100 * Math.abs(change.likeForLike) },
          ` points ${isMore ? 'more' : 'less'}`,
          ...between,
        ],
        points: 100 * change.likeForLike,
        reading: isMore ? 'more' : 'less',
        isClose: tested.isClose,
      },
    ];
  });
}
