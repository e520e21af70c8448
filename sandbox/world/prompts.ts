// The prompts of a web property: derived from their number, like keywords, and worded in the language of their locale.
// Source: service specification, "AI search brands row", columns 13 to 17.
import type { Domain } from './domains.ts';
import { mix, pick, share } from './hash.ts';
import { type Phrase, PRODUCT_COUNT, phraseOf, phraseText } from './keywords.ts';
import type { Columns } from './markets.ts';
import type { Language } from './words.ts';
import type { WebProperty } from './world.ts';

/** A prompt in both languages, with {what} it is about, the {brand} of the company and a {rival}. */
type Frame = Readonly<{ intent: string; isBranded: boolean } & Record<Language, string>>;

const frame = (intent: string, en: string, de: string, isBranded = false): Frame => ({ intent, isBranded, en, de });

const FRAMES: readonly Frame[] = [
  frame('Commercial', 'What are the best {what}?', 'Welche {what} sind die besten?'),
  frame('Informational', 'What should I know before buying {what}?', 'Was muss ich über {what} wissen?'),
  frame('Transactional', 'Where can I buy {what} online?', 'Wo kann ich {what} online kaufen?'),
  frame('Informational', 'How long do {what} last?', 'Wie lange halten {what}?'),
  frame('Commercial', 'Which brands make reliable {what}?', 'Welche Marken bieten {what} an?'),
  frame('Transactional', 'How much should I spend on {what}?', 'Wie viel kosten {what}?'),
  frame('Informational', 'Are {what} worth it?', 'Lohnen sich {what}?'),
  frame('Commercial', 'Who makes better {what}, {brand} or {rival}?', 'Wer macht bessere {what}: {brand} oder {rival}?', true),
  frame('Commercial', 'Does {brand} make good {what}?', 'Hat {brand} gute {what}?', true),
  frame('Navigational', 'Where does {brand} list its {what}?', 'Wo finde ich {what} bei {brand}?', true),
  frame('Informational', 'How do I take care of {what}?', 'Wie pflege ich {what}?'),
  frame('Commercial', 'Can you compare a few {what} for me?', 'Kannst du mir ein paar {what} vergleichen?'),
];

const PERSONAS: readonly (string | null)[] = ['Weekend hiker', 'Budget-minded family', 'Gear enthusiast', 'First-time camper', null];

/** Coprime to the number of frames, so that products are asked about in different ways. */
const FRAME_STRIDE = 5;
/** Coprime to the number of products, so that the first prompts cover many topics. */
const PRODUCT_STRIDE = 7;

/** `key` identifies a prompt on every engine, in every place and week. */
export type Prompt = Readonly<{
  key: number;
  topic: string;
  type: 'branded' | 'unbranded';
  intent: string;
  persona: string | null;
  groupNames: string;
  phrase: Phrase;
  columns: Columns;
  text: (language: Language) => string;
}>;

/** The prompt number `index` of a web property. */
export function promptAt(property: WebProperty, index: number): Prompt {
  // Every product once per frame; when it has been in all frames, with another phrase.
  const turn = Math.floor(index / PRODUCT_COUNT);
  const productNumber = (index * PRODUCT_STRIDE + ((property.key >>> 0) % PRODUCT_COUNT)) % PRODUCT_COUNT;
  const phrase = phraseOf(productNumber + PRODUCT_COUNT * Math.floor(turn / FRAMES.length), property.key);
  const frameOf = FRAMES[(turn + productNumber * FRAME_STRIDE + (property.key >>> 0)) % FRAMES.length];
  if (!frameOf) throw new RangeError(`there is no prompt ${index}`);
  const key = mix(mix(property.key, 0x70), index);
  const topic = phrase.product.category.name;
  const type = frameOf.isBranded ? 'branded' : 'unbranded';
  const { intent } = frameOf;
  const persona = pick(PERSONAS, mix(key, 1));
  const groupNames = groupsOf(key, topic, frameOf.isBranded);
  return {
    key,
    topic,
    type,
    intent,
    persona,
    groupNames,
    phrase,
    columns: { topic, prompt_type: type, intent, persona, prompt_group_names: groupNames },
    text: (language) => {
      const words = { what: phraseText(phrase, language), brand: property.brand, rival: rivalOf(property, key)?.siteName ?? 'Fellmark' };
      return frameOf[language].replaceAll(/\{(what|brand|rival)\}/g, (_, name: keyof typeof words) => words[name]);
    },
  };
}

/** The competitor that a prompt is about, if any. */
export function rivalOf(property: WebProperty, promptKey: number): Domain | undefined {
  const rivals = property.domains.slice(1, property.trackedDomains);
  return rivals.length > 0 ? pick(rivals, mix(promptKey, 2)) : undefined;
}

function groupsOf(key: number, topic: string, isBranded: boolean): string {
  const groups = [
    share(mix(key, 3)) < 0.5 ? 'Core prompts' : '',
    isBranded ? 'Brand defence' : '',
    share(mix(key, 4)) < 0.2 ? 'Seasonal campaign' : '',
    share(mix(key, 5)) < 0.6 ? `${topic} prompts` : '',
  ];
  return groups.filter((name) => name !== '').join(',');
}
