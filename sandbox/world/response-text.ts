// The full text of an answer: hundreds to thousands of characters of Markdown with line breaks, quotes and non-ASCII letters, because the column has to
// preserve them.
import { groupBy } from '../../src/core/group-by.ts';
import { type AiAnswer, mentionedEntities, mentionedRivals } from './ai-answer.ts';
import { citationsOf } from './citations.ts';
import { below, mix, pick } from './hash.ts';
import { phraseText } from './keywords.ts';
import { remarkOn, sentimentsOf } from './sentiments.ts';
import type { Language } from './words.ts';

type Wording = Readonly<{
  openings: readonly ((what: string) => string)[];
  advice: readonly string[];
  headings: Readonly<{ advice: string; brands: string; sources: string }>;
  closings: readonly string[];
}>;

const WORDING: Readonly<Record<Language, Wording>> = {
  en: {
    openings: [
      (what) =>
        `When it comes to **${what}**, the differences are bigger than most product pages suggest. Here is what matters, and who does it well.`,
      (what) =>
        `Good question! I looked at recent tests, forum threads and retailer ratings for **${what}** and summed up what they agree on.`,
      (what) => `There is no single best choice among **${what}**: it depends on how often, how far and in what weather you go.`,
      (what) => `Short answer: yes, you can find very good **${what}** without overspending. The longer answer follows.`,
    ],
    advice: [
      'Check the weight on a scale: stated weights often leave out straps, pegs or stuff sacks, and the difference adds up over a long day.',
      "Try it on with the clothes you'll actually wear. A size that fits over a T-shirt may be too tight over a fleece.",
      'Water columns above 10,000 mm are marketing for most people; seams, zips and hoods decide whether you stay dry.',
      'Spare parts matter more than warranties. Makers that sell single buckles and poles keep your gear going for a decade.',
      'Look for a repair service in your own country, otherwise shipping may cost more than the repair.',
      'Last season’s colours are frequently 20–30 % cheaper and otherwise identical.',
      'Independent tests tend to rate the middle of a price range highest; the top end pays for the last 50 grams.',
      'Read the one-star reviews first: they show how a thing fails, not whether somebody liked the colour.',
      'If you only go twice a year, renting is worth a look: you get recent models and nothing to store.',
      'Natural fibres smell less, synthetic ones dry faster; blends are a fair compromise on multi-day trips.',
    ],
    headings: { advice: '## What to look for', brands: '## Brands that come up', sources: '## Sources' },
    closings: [
      'Would you like me to narrow this down to a budget or a season?',
      'Tell me your budget and where you are going, and I can suggest two or three specific models.',
      'Prices and stock change weekly, so check the shop before you decide.',
    ],
  },
  de: {
    openings: [
      (what) => `Bei **${what}** sind die Unterschiede größer, als es die Produktseiten vermuten lassen. Das Wichtigste im Überblick:`,
      (what) => `Gute Frage! Ich habe aktuelle Tests, Forenbeiträge und Kundenbewertungen zum Thema **${what}** zusammengefasst.`,
      (what) =>
        `Die eine richtige Wahl gibt es beim Thema **${what}** nicht: Es kommt darauf an, wie oft, wie weit und bei welchem Wetter man unterwegs ist.`,
    ],
    advice: [
      'Gewicht nachwiegen: Herstellerangaben lassen Riemen, Heringe oder Packbeutel gern weg, und über einen langen Tag summiert sich das.',
      'Mit der Kleidung anprobieren, die man wirklich trägt. Was über ein T-Shirt passt, ist über einem Fleece oft zu eng.',
      'Wassersäulen über 10.000 mm sind für die meisten Werbung; Nähte, Reißverschlüsse und Kapuze entscheiden, ob man trocken bleibt.',
      'Ersatzteile sind wichtiger als Garantien: Wer einzelne Schnallen und Stangen verkauft, hält Ausrüstung zehn Jahre am Laufen.',
      'Auf einen Reparaturdienst im eigenen Land achten, sonst kostet der Versand mehr als die Reparatur.',
      'Die Farben der letzten Saison sind häufig 20–30 % günstiger und sonst identisch.',
      'Unabhängige Tests bewerten oft die Mitte der Preisspanne am besten; ganz oben bezahlt man die letzten 50 Gramm.',
      'Zuerst die schlechtesten Bewertungen lesen: Sie zeigen, wie etwas kaputtgeht.',
    ],
    headings: { advice: '## Worauf es ankommt', brands: '## Häufig genannte Marken', sources: '## Quellen' },
    closings: [
      'Soll ich die Auswahl nach Budget oder Jahreszeit eingrenzen?',
      'Preise und Lagerbestände ändern sich wöchentlich, ein Blick in den Shop lohnt sich also.',
    ],
  },
};

export function responseText(answer: AiAnswer): string {
  const { prompt, locale, period } = answer;
  const wording = WORDING[locale.language];
  // The text stays for about a month, then is worded differently.
  const key = mix(mix(answer.key, 0xa1), Math.floor((period.number + below(answer.key, 4)) / 4));
  const first = below(mix(key, 1), wording.advice.length);
  const advice = Array.from(
    { length: 3 + below(mix(key, 2), 4) },
    (_, index) => `- ${wording.advice[(first + index) % wording.advice.length]}`,
  );
  const entities = mentionedEntities(answer);
  const names = [...entities.map((entity) => entity.name), ...mentionedRivals(answer).map((rival) => rival.siteName)];
  const opinions = groupBy(sentimentsOf(answer), ({ brand }) => brand);
  const brands = names.map((name, index) => {
    // Opinions on the company are about its brand. Its first entity in the list has them, whichever that is.
    const own = opinions.get(index === 0 && entities.length > 0 ? answer.property.brand : name) ?? [];
    const words = own.flatMap(({ snippet }) => snippet ?? []);
    return `${index + 1}. **${name}**: ${words.length > 0 ? words.join(' ') : remarkOn(name, mix(key, 20 + index), answer)}`;
  });
  const sources = citationsOf(answer).map((citation, index) => `[${index + 1}] ${citation.url}`);
  const parts = [
    pick(wording.openings, mix(key, 3))(phraseText(prompt.phrase, locale.language)),
    [wording.headings.advice, ...advice].join('\n'),
    brands.length > 0 ? [wording.headings.brands, ...brands].join('\n') : '',
    pick(wording.closings, mix(key, 4)),
    sources.length > 0 ? [wording.headings.sources, ...sources].join('\n') : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
