// The sites that compete in search results and are cited by AI answers. All are below .example and .test, which RFC 2606 reserves, so no row
// points at a real site.
import { mix, share } from './hash.ts';

export type Domain = Readonly<{
  rootDomain: string;
  /** Host name of its pages. */
  host: string;
  /** Name at the end of its page titles. */
  siteName: string;
  /** 0 to 1: how well its pages rank in general. */
  authority: number;
  /** `you` in lower case, as in a publicly documented answer; filters are shown with `You`. */
  attribution: 'you' | 'Partner' | 'SEO Competitor' | 'Other';
}>;

const COMPETITORS = [
  'Northtrail',
  'Alpenwerk',
  'Fernweh Supply',
  'Cairn & Co',
  'Ridgeline',
  'Moosbach',
  'Granite Peak',
  'Wildfell',
  'Campfire Union',
  'Steinadler',
  'Lakeshore Gear',
  'Oberland',
];

const PUBLISHER_STARTS =
  'trail,gear,outdoor,summit,camp,hike,mountain,alpine,forest,wander,nature,peak,river,valley,climb,rugged,open,wild,north,green'.split(
    ',',
  );
const PUBLISHER_ENDS = 'review,guide,lab,journal,magazine,weekly,test,forum,market,deals,blog,hub,daily,scout,advice,talk,shop'.split(',');

/** The brands that compete with every web property, strongest first. */
export function competitorDomains(count: number): Domain[] {
  return COMPETITORS.slice(0, count).map((siteName, index) => {
    const rootDomain = `${slugOf(siteName)}.example`;
    return { rootDomain, host: `www.${rootDomain}`, siteName, authority: 0.72 - index * 0.03, attribution: 'SEO Competitor' };
  });
}

/** `count` magazines, shops and forums. A smaller count gives a prefix of the list for a larger one. */
export function publisherDomains(count: number, seed: number): Domain[] {
  return Array.from({ length: count }, (_, index) => {
    const start = PUBLISHER_STARTS[index % PUBLISHER_STARTS.length] ?? '';
    const end = PUBLISHER_ENDS[index % PUBLISHER_ENDS.length] ?? '';
    const round = Math.floor(index / (PUBLISHER_STARTS.length * PUBLISHER_ENDS.length));
    const key = mix(mix(seed, 0xd0), index);
    const rootDomain = `${start}${end}${round || ''}.${share(mix(key, 1)) < 0.8 ? 'example' : 'test'}`;
    const hostRoll = share(mix(key, 2));
    const host = hostRoll < 0.7 ? `www.${rootDomain}` : hostRoll < 0.85 ? rootDomain : `blog.${rootDomain}`;
    return {
      rootDomain,
      host,
      siteName: `${capitalize(start)} ${capitalize(end)}`,
      authority: 0.15 + 0.6 * share(key) ** 2,
      attribution: share(mix(key, 3)) < 0.08 ? 'Partner' : 'Other',
    };
  });
}

/** Lower-case ASCII words joined by hyphens, as in a URL path. */
export function slugOf(text: string): string {
  const ascii = text.toLowerCase().replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss');
  return ascii.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
}

export function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
