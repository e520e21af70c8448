// The keywords of a web property: derived from their number, never listed, so a million of them cost nothing.
import type { IsoDate } from '../../src/core/weeks.ts';
import { capitalize, slugOf } from './domains.ts';
import { below, mix, pick, share } from './hash.ts';
import { AUDIENCES, CATEGORIES, KEYWORD_ENDINGS, type Language, MODIFIERS, type Words } from './words.ts';

const PRODUCTS = CATEGORIES.flatMap((category) => category.products.map((words) => ({ category, words })));

export const PRODUCT_COUNT = PRODUCTS.length;

/** The words around a product. */
type Form = Readonly<{ modifier: Words; audience: Words; ending: Words }>;

/** All forms in classes: those with at most one part come first, because people search like that. */
const FORM_CLASSES: readonly (readonly Form[])[] = classesOf(KEYWORD_ENDINGS);
/** Forms without an ending, for questions in whole sentences. */
const PHRASE_CLASSES: readonly (readonly Form[])[] = classesOf(KEYWORD_ENDINGS.slice(0, 1));

const KEYWORD_COMBINATIONS = PRODUCTS.length * countOf(FORM_CLASSES);
/** Coprime to the number of products, so that all take turns and neighbours differ. */
const PRODUCT_STRIDE = 27;

export type Phrase = Readonly<{ product: (typeof PRODUCTS)[number]; modifier: Words; audience: Words }>;

const PHRASES = PRODUCTS.length * countOf(PHRASE_CLASSES);

/** The phrase number `n`, simple ones first; `shift` selects other ones. Products take turns. */
export function phraseOf(n: number, shift = 0): Phrase {
  const number = (n >>> 0) % PHRASES;
  const { product, form } = combine(number, number % PRODUCTS.length, { shift, classes: PHRASE_CLASSES });
  return { product, modifier: form.modifier, audience: form.audience };
}

type Turn = Readonly<{ shift: number; classes: readonly (readonly Form[])[] }>;

/** Combines each product once with every form: at each turn of a product, the next form of the class. */
function combine(number: number, productNumber: number, { shift, classes }: Turn): { product: Phrase['product']; form: Form } {
  const product = PRODUCTS[productNumber];
  let rest = Math.floor(number / PRODUCTS.length);
  for (const forms of classes) {
    const form = rest < forms.length ? forms[(rest + productNumber * 17 + (shift >>> 0)) % forms.length] : undefined;
    if (product && form) return { product, form };
    rest -= forms.length;
  }
  throw new RangeError(`there is no combination ${number}`);
}

function classesOf(endings: readonly Words[]): Form[][] {
  const all = MODIFIERS.flatMap((modifier) => AUDIENCES.flatMap((audience) => endings.map((ending) => ({ modifier, audience, ending }))));
  const partsOf = (form: Form): number => Object.values(form).filter(({ en }) => en !== '').length;
  return [[0, 1], [2], [3]].map((parts) => all.filter((form) => parts.includes(partsOf(form)))).filter((forms) => forms.length > 0);
}

function countOf(classes: readonly (readonly Form[])[]): number {
  return classes.reduce((sum, forms) => sum + forms.length, 0);
}

/** For example "waterproof tents for kids". */
export function phraseText({ product, modifier, audience }: Phrase, language: Language): string {
  return joinWords(modifier[language], product.words[language], audience[language]);
}

function joinWords(...words: string[]): string {
  return words.filter((word) => word !== '').join(' ');
}

/** `key` identifies a keyword, wherever and whenever it is searched. */
export type Keyword = Readonly<{ key: number; phrase: Phrase; ending: Words; series: number; groupIds: string; groupNames: string }>;

/** Groups that cut across categories, with the share of keywords in each. */
const EXTRA_GROUPS = [
  { id: 201, name: 'Top sellers', share: 0.15 },
  { id: 202, name: 'New season', share: 0.1 },
  { id: 203, name: 'Defend', share: 0.07 },
] as const;
/** Share of keywords in no group. */
const UNGROUPED_SHARE = 0.04;

/** The keyword number `index` of the web property with the given key. */
export function keywordAt(propertyKey: number, index: number): Keyword {
  const offset = propertyKey >>> 0;
  const number = index % KEYWORD_COMBINATIONS;
  const productNumber = (number * PRODUCT_STRIDE + (offset % PRODUCTS.length)) % PRODUCTS.length;
  const { product, form } = combine(number, productNumber, { shift: offset, classes: FORM_CLASSES });
  const { ending, ...words } = form;
  const phrase = { product, ...words };
  const key = mix(mix(propertyKey, 0x6b), index);
  return { key, phrase, ending, series: Math.floor(index / KEYWORD_COMBINATIONS), ...groupsOf(key, phrase) };
}

function groupsOf(key: number, phrase: Phrase): Pick<Keyword, 'groupIds' | 'groupNames'> {
  if (share(mix(key, 1)) < UNGROUPED_SHARE) return { groupIds: '', groupNames: '' };
  const extra = EXTRA_GROUPS.filter((group) => share(mix(key, group.id)) < group.share);
  const groups = [phrase.product.category, ...extra];
  return { groupIds: groups.map((group) => group.id).join(','), groupNames: groups.map((group) => group.name).join(',') };
}

/** A keyword in one language, with the parts of page titles and addresses. */
export type KeywordText = Readonly<{ query: string; heading: string; slug: string; section: string }>;

export function keywordText(keyword: Keyword, language: Language): KeywordText {
  const words = joinWords(phraseText(keyword.phrase, language), keyword.ending[language], keyword.series ? String(keyword.series + 1) : '');
  const query = words.toLowerCase();
  return {
    query,
    heading: words.split(' ').map(capitalize).join(' '),
    slug: slugOf(query),
    section: slugOf(keyword.phrase.product.words[language]),
  };
}

const TITLE_FRAMES: Readonly<Record<Language, readonly ((heading: string, site: string, year: string) => string)[]>> = {
  en: [
    (heading, site) => `${heading} | ${site}`,
    (heading, site, year) => `The 10 Best ${heading} of ${year} - ${site}`,
    (heading, site) => `${heading}: Tested & Compared – ${site}`,
    (heading, site) => `Shop "${heading}" at ${site}`,
    (heading) => heading,
  ],
  de: [
    (heading, site) => `${heading} | ${site}`,
    (heading, site, year) => `${heading}: Bestenliste ${year} - ${site}`,
    (heading, site) => `${heading} – Tests & Vergleiche | ${site}`,
    (heading, site) => `${heading} für jede Tour | ${site}`,
    (heading) => heading,
  ],
};

type PageFacts = Readonly<{ heading: string; siteName: string; language: Language; firstDay: IsoDate }>;

/** The title of a page about a keyword, collected in the period that begins on `firstDay`. */
export function pageTitle(pageKey: number, { heading, siteName, language, firstDay }: PageFacts): string {
  return pick(TITLE_FRAMES[language], mix(pageKey, 0x71))(heading, siteName, firstDay.slice(0, 4));
}

const PATH_FRAMES: readonly ((text: KeywordText, id: number) => string)[] = [
  ({ section, slug }) => `/${section}/${slug}`,
  ({ slug }) => `/${slug}`,
  ({ slug }) => `/blog/${slug}`,
  ({ slug }, id) => `/p/${id}-${slug}`,
  ({ section, slug }) => `/guides/${section}/${slug}`,
];

/** Path of a site's page about the keyword. Different pages (0, 1, ...) of a site have different paths. */
export function pagePath(siteKey: number, page: number, text: KeywordText): string {
  const frame = PATH_FRAMES[(below(siteKey, PATH_FRAMES.length) + page) % PATH_FRAMES.length];
  return frame ? frame(text, 10_000 + below(mix(siteKey, 0x70), 90_000)) : '/';
}
