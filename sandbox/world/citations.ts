// The pages that an answer cites. A slot keeps its page for some weeks, then takes another, each slot at its own times. Some are the same pages
// that are found for a tracked search of the same product, so pages may rank, be cited, or both.
import type { AiAnswer } from './ai-answer.ts';
import { slugOf } from './domains.ts';
import { rise, slumpIn } from './fortunes.ts';
import { below, hashText, mix, share } from './hash.ts';
import { keywordText, pagePath, pageTitle, phraseText } from './keywords.ts';
import type { Language } from './words.ts';
import type { WebProperty } from './world.ts';

export type Citation = Readonly<{ title: string | null; url: string; domain: string; segment: string | null; attribution: string }>;

type Page = Readonly<{ path: string; heading: string }>;

const SLOT_WEEKS = 5;
const MAX_SLOTS = 8;
const UNTITLED_SHARE = 0.03;
const OWN_SHARE = 0.14;
const RIVAL_SHARE = 0.22;
/** Shares of citations: of a site's general pages, of the page for a tracked search of the product, and of the topic's page. */
const GENERAL_PAGE_SHARE = 0.22;
const PRODUCT_PAGE_SHARE = 0.38;
const TOPIC_PAGE_SHARE = 0.18;

const page = (path: string, heading: string): Page => ({ path, heading });

/** General pages; each site has some of them. */
const GENERAL_PAGES: readonly Readonly<Record<Language, Page>>[] = [
  { en: page('/guides/gear-checklist', 'The Complete Gear Checklist'), de: page('/guides/packliste', 'Packliste für jede Tour') },
  {
    en: page('/guides/care-and-repair', 'How to Care for Outdoor Gear'),
    de: page('/guides/pflege-und-reparatur', 'Ausrüstung pflegen und reparieren'),
  },
  {
    en: page('/guides/outdoor-brands-compared', 'Outdoor Brands Compared'),
    de: page('/guides/outdoor-marken-im-vergleich', 'Outdoor-Marken im Vergleich'),
  },
  {
    en: page('/blog/what-to-wear-in-the-rain', 'What to Wear in the Rain'),
    de: page('/blog/richtig-anziehen-bei-regen', 'Richtig anziehen bei Regen'),
  },
  {
    en: page('/blog/first-multi-day-hike', 'Your First Multi-Day Hike'),
    de: page('/blog/die-erste-mehrtagestour', 'Die erste Mehrtagestour'),
  },
  { en: page('/guides/layering', 'Layering, Explained'), de: page('/guides/zwiebelprinzip', 'Das Zwiebelprinzip') },
  { en: page('/guides/rent-or-buy', 'Rent or Buy?'), de: page('/guides/leihen-oder-kaufen', 'Leihen oder kaufen?') },
];
const GENERAL_PAGES_PER_SITE = 3;

/** Empty when the assistant did not search the web. A domain occurs at most once per answer. */
export function citationsOf(answer: AiAnswer): Citation[] {
  if (!answer.hasWebSearch) return [];
  const { key, property, prompt, engine, locale, period } = answer;
  const slots = 2 + below(mix(key, 0xc1), MAX_SLOTS - 2);
  const domains: number[] = [];
  for (let slot = 0; slot < slots; slot++) {
    const slotKey = mix(mix(key, 0xc2), slot);
    const turn = mix(slotKey, Math.floor((period.number + below(slotKey, SLOT_WEEKS)) / SLOT_WEEKS));
    const domain = chooseDomain(
      turn,
      property,
      OWN_SHARE * engine.regard * (1 - 0.6 * slumpIn(property.story, period.number)),
      period.number,
    );
    if (!domains.includes(domain)) domains.push(domain);
  }
  return domains.flatMap((index) => {
    const domain = property.domains[index];
    if (!domain) return [];
    const promptKey = mix(prompt.key, index);
    const { path, heading } = citedPage(answer, index, share(mix(promptKey, 3)));
    const isUntitled = share(mix(promptKey, 1)) < UNTITLED_SHARE;
    const facts = { heading, siteName: domain.siteName, language: locale.language, firstDay: period.start };
    return {
      title: isUntitled ? null : pageTitle(mix(hashText(path), index), facts),
      url: `https://${domain.host}${path}`,
      domain: domain.host,
      segment: domain.attribution === 'you' ? segmentOf(path) : null,
      attribution: domain.attribution,
    };
  });
}

/** The cited page of a site, chosen by a roll from 0 to 1. A page for no tracked search is about the prompt's subject. */
function citedPage({ property, prompt, locale }: AiAnswer, site: number, roll: number): Page {
  const { language } = locale;
  if (roll < GENERAL_PAGE_SHARE)
    return generalPage(language, mix(property.key, site), below(mix(mix(prompt.key, site), 4), GENERAL_PAGES_PER_SITE));
  const forProduct = GENERAL_PAGE_SHARE + PRODUCT_PAGE_SHARE;
  const { byProduct, byTopic } = property.firstKeywords;
  const keyword =
    roll < forProduct ? byProduct.get(prompt.phrase.product) : roll < forProduct + TOPIC_PAGE_SHARE ? byTopic.get(prompt.topic) : undefined;
  if (keyword) {
    const text = keywordText(keyword, language);
    return { path: pagePath(mix(keyword.key, site), 0, text), heading: text.heading };
  }
  const what = phraseText(prompt.phrase, language);
  const text = { query: what, heading: what, slug: slugOf(what), section: slugOf(prompt.phrase.product.words[language]) };
  return { path: pagePath(mix(prompt.key, site), 0, text), heading: what };
}

function generalPage(language: Language, siteKey: number, choice: number): Page {
  const pages = GENERAL_PAGES[(below(siteKey, GENERAL_PAGES.length) + choice) % GENERAL_PAGES.length];
  if (!pages) throw new RangeError('there is no general page');
  return pages[language];
}

function segmentOf(path: string): string {
  if (path.startsWith('/blog/') || path.startsWith('/guides/')) return 'Magazine';
  return path.startsWith('/p/') ? 'Shop' : 'Categories';
}

/** Index of the company's own domain, a competitor's, or one of the others, of which a few are cited most. */
function chooseDomain(key: number, { domains, trackedDomains }: WebProperty, ownShare: number, week: number): number {
  const roll = share(key);
  if (roll < ownShare) return 0;
  // Rolled from the other end, so that a change of our share does not affect theirs.
  if (roll >= 1 - RIVAL_SHARE && trackedDomains > 1) return chooseRival(share(mix(key, 1)), trackedDomains - 1, week);
  return trackedDomains + Math.floor((domains.length - trackedDomains) * share(mix(key, 2)) ** 1.8);
}

/** Index of a competitor's domain; a rising one is cited more often. */
function chooseRival(roll: number, rivals: number, week: number): number {
  const weights = Array.from({ length: rivals }, (_, rival) => 0.4 + 2 * rise(rival, rivals, week));
  const sums = weights.map((_, rival) => weights.slice(0, rival + 1).reduce((sum, weight) => sum + weight, 0));
  return 1 + sums.filter((sum) => sum <= roll * (sums.at(-1) ?? 0)).length;
}
