// The pages an answer cites. A slot keeps its page for some weeks, then takes another, each slot in its own rhythm.
import type { AiAnswer } from './ai-answer.ts';
import { slugOf } from './domains.ts';
import { below, mix, pick, share } from './hash.ts';
import { pagePath, pageTitle, phraseText } from './keywords.ts';

export type Citation = Readonly<{ title: string | null; url: string; domain: string; segment: string | null; attribution: string }>;

const SLOT_WEEKS = 5;
const MAX_SLOTS = 8;
const UNTITLED_SHARE = 0.03;
const OWN_SHARE = 0.14;
const RIVAL_SHARE = 0.2;
const SEGMENTS = ['Shop', 'Magazine', 'Help'];

/** Empty when the assistant did not search the web. No domain comes twice in one answer. */
export function citationsOf(answer: AiAnswer): Citation[] {
  if (!answer.hasWebSearch) return [];
  const { key, property, prompt, locale, period } = answer;
  const slots = 2 + below(mix(key, 0xc1), MAX_SLOTS - 2);
  const domains: number[] = [];
  for (let slot = 0; slot < slots; slot++) {
    const slotKey = mix(mix(key, 0xc2), slot);
    const turn = mix(slotKey, Math.floor((period.number + below(slotKey, SLOT_WEEKS)) / SLOT_WEEKS));
    const domain = chooseDomain(turn, property.trackedDomains, property.domains.length);
    if (!domains.includes(domain)) domains.push(domain);
  }
  const what = phraseText(prompt.phrase, locale.language);
  const text = { query: what, heading: what, slug: slugOf(what), section: slugOf(prompt.phrase.product.words[locale.language]) };
  return domains.flatMap((index) => {
    const domain = property.domains[index];
    if (!domain) return [];
    const siteKey = mix(prompt.key, index);
    const isUntitled = share(mix(siteKey, 1)) < UNTITLED_SHARE;
    return {
      title: isUntitled
        ? null
        : pageTitle(siteKey, { heading: text.heading, siteName: domain.siteName, language: locale.language, firstDay: period.start }),
      url: `https://${domain.host}${pagePath(siteKey, 0, text)}`,
      domain: domain.host,
      segment: domain.attribution === 'you' ? pick(SEGMENTS, mix(siteKey, 2)) : null,
      attribution: domain.attribution,
    };
  });
}

/** Index of the company's own domain, of a competitor's, or of one of the others. */
function chooseDomain(key: number, tracked: number, all: number): number {
  const roll = share(key);
  if (roll < OWN_SHARE) return 0;
  if (roll < OWN_SHARE + RIVAL_SHARE && tracked > 1) return 1 + below(mix(key, 1), tracked - 1);
  return tracked + below(mix(key, 2), all - tracked);
}
