// The vocabulary of an outdoor shop in two languages. Keywords, prompts, page titles and answers are built from it. German adjectives are in the
// strong plural ("wasserdichte Zelte"), so every frame that uses them must suit that form.

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];
export type Words = Readonly<Record<Language, string>>;

/** `peakMonth` (1 to 12) is when people search most. */
export type Category = Readonly<{ id: number; name: string; peakMonth: number; products: readonly Words[] }>;

const words = (en: string, de: string): Words => ({ en, de });

export const CATEGORIES: readonly Category[] = [
  {
    id: 101,
    name: 'Footwear',
    peakMonth: 5,
    products: [
      words('hiking boots', 'Wanderschuhe'),
      words('trail running shoes', 'Trailrunningschuhe'),
      words('approach shoes', 'Zustiegsschuhe'),
      words('gaiters', 'Gamaschen'),
      words('hiking socks', 'Wandersocken'),
    ],
  },
  {
    id: 102,
    name: 'Tents',
    peakMonth: 7,
    products: [
      words('tents', 'Zelte'),
      words('tarps', 'Tarps'),
      words('tent pegs', 'Heringe'),
      words('bivvy bags', 'Biwaksäcke'),
      words('tent footprints', 'Zeltunterlagen'),
    ],
  },
  {
    id: 103,
    name: 'Backpacks',
    peakMonth: 6,
    products: [
      words('backpacks', 'Rucksäcke'),
      words('day packs', 'Tagesrucksäcke'),
      words('child carriers', 'Kraxen'),
      words('dry bags', 'Packsäcke'),
      words('duffel bags', 'Reisetaschen'),
    ],
  },
  {
    id: 104,
    name: 'Sleeping',
    peakMonth: 6,
    products: [
      words('sleeping bags', 'Schlafsäcke'),
      words('sleeping mats', 'Isomatten'),
      words('hammocks', 'Hängematten'),
      words('camping pillows', 'Reisekissen'),
      words('mosquito nets', 'Moskitonetze'),
    ],
  },
  {
    id: 105,
    name: 'Jackets',
    peakMonth: 11,
    products: [
      words('rain jackets', 'Regenjacken'),
      words('down jackets', 'Daunenjacken'),
      words('softshell jackets', 'Softshelljacken'),
      words('fleece jackets', 'Fleecejacken'),
      words('base layers', 'Funktionsunterhemden'),
    ],
  },
  {
    id: 106,
    name: 'Cooking',
    peakMonth: 7,
    products: [
      words('camping stoves', 'Campingkocher'),
      words('water filters', 'Wasserfilter'),
      words('cooking pots', 'Kochtöpfe'),
      words('water bottles', 'Trinkflaschen'),
      words('cool boxes', 'Kühlboxen'),
    ],
  },
  {
    id: 107,
    name: 'Climbing',
    peakMonth: 4,
    products: [
      words('climbing harnesses', 'Klettergurte'),
      words('climbing ropes', 'Kletterseile'),
      words('climbing helmets', 'Kletterhelme'),
      words('carabiners', 'Karabiner'),
      words('chalk bags', 'Chalkbags'),
    ],
  },
  {
    id: 108,
    name: 'Winter sports',
    peakMonth: 12,
    products: [
      words('snowshoes', 'Schneeschuhe'),
      words('crampons', 'Steigeisen'),
      words('ski goggles', 'Skibrillen'),
      words('headlamps', 'Stirnlampen'),
      words('thermal gloves', 'Thermohandschuhe'),
    ],
  },
];

const NONE = words('', '');

export const MODIFIERS: readonly Words[] = [
  NONE,
  words('waterproof', 'wasserdichte'),
  words('lightweight', 'leichte'),
  words('cheap', 'günstige'),
  words('ultralight', 'ultraleichte'),
  words('warm', 'warme'),
  words('sustainable', 'nachhaltige'),
  words('premium', 'hochwertige'),
  words('compact', 'kompakte'),
  words('durable', 'robuste'),
  words('breathable', 'atmungsaktive'),
  words('foldable', 'faltbare'),
  words('insulated', 'isolierte'),
  words('large', 'große'),
  words('small', 'kleine'),
  words('used', 'gebrauchte'),
  words('vegan', 'vegane'),
  words('recycled', 'recycelte'),
  words('comfortable', 'bequeme'),
  words('professional', 'professionelle'),
];

export const AUDIENCES: readonly Words[] = [
  NONE,
  words('for women', 'für Damen'),
  words('for men', 'für Herren'),
  words('for kids', 'für Kinder'),
  words('for beginners', 'für Einsteiger'),
  words('for families', 'für Familien'),
  words('for the alps', 'für die Alpen'),
  words('for winter', 'für den Winter'),
  words('for summer', 'für den Sommer'),
  words('for long distance trails', 'für Fernwanderwege'),
];

export const KEYWORD_ENDINGS: readonly Words[] = [
  NONE,
  words('test', 'im Test'),
  words('buy online', 'kaufen'),
  words('sale', 'im Angebot'),
  words('reviews', 'Erfahrungen'),
  words('size guide', 'Größentabelle'),
  words('near me', 'in der Nähe'),
  words('comparison', 'Vergleich'),
  words('repair', 'reparieren'),
  words('rental', 'mieten'),
  words('under 100', 'unter 100 Euro'),
  words('brands', 'Marken'),
];
