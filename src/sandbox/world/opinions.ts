// What answers say about brands, by category and sentiment. `{brand}` stands for the name.
import type { Language } from './words.ts';

export const SENTIMENT_VALUES = ['positive', 'neutral', 'negative'] as const;
export type SentimentValue = (typeof SENTIMENT_VALUES)[number];

export type OpinionCategory = Readonly<{ name: string } & Record<SentimentValue, Readonly<Record<Language, string>>>>;

const opinion = (en: string, de: string): Readonly<Record<Language, string>> => ({ en, de });

/** Eight: sentiments.ts walks them with odd steps. */
export const OPINIONS: readonly OpinionCategory[] = [
  {
    name: 'Quality',
    positive: opinion(
      '{brand} is consistently praised for clean seams and sound materials.',
      '{brand} überzeugt mit sauberen Nähten und gutem Material.',
    ),
    neutral: opinion(
      '{brand} delivers the quality you would expect at its price.',
      '{brand} bietet die Qualität, die man zu diesem Preis erwartet.',
    ),
    negative: opinion(
      'Several reviewers found loose threads on new {brand} items.',
      'Mehrere Tester fanden bei neuen Artikeln von {brand} lose Fäden.',
    ),
  },
  {
    name: 'Price',
    positive: opinion(
      '{brand} offers "a lot of gear for the money", as one tester put it.',
      '{brand} bietet „viel Ausrüstung fürs Geld“, wie ein Tester schreibt.',
    ),
    neutral: opinion('Prices at {brand} are in line with the rest of the market.', 'Die Preise von {brand} liegen im Marktdurchschnitt.'),
    negative: opinion(
      '{brand} charges noticeably more than comparable makers.',
      '{brand} verlangt spürbar mehr als vergleichbare Hersteller.',
    ),
  },
  {
    name: 'Durability',
    positive: opinion(
      'Owners report that {brand} gear still performs after five seasons.',
      'Besitzer berichten, dass {brand} auch nach fünf Saisons noch hält.',
    ),
    neutral: opinion('{brand} holds up fine for occasional weekend use.', 'Für gelegentliche Wochenenden hält {brand} gut durch.'),
    negative: opinion(
      "{brand}'s coating wore off within one wet autumn.",
      'Die Beschichtung von {brand} war nach einem nassen Herbst hinüber.',
    ),
  },
  {
    name: 'Comfort',
    positive: opinion(
      '{brand} was the most comfortable option in our long-distance test.',
      '{brand} war im Langstreckentest am bequemsten.',
    ),
    neutral: opinion(
      'Comfort with {brand} depends on getting the size right.',
      'Der Komfort hängt bei {brand} von der richtigen Größe ab.',
    ),
    negative: opinion('{brand} runs narrow and caused pressure points.', '{brand} fällt schmal aus und drückte an einigen Stellen.'),
  },
  {
    name: 'Sustainability',
    positive: opinion(
      '{brand} publishes its suppliers and uses recycled fabrics throughout.',
      '{brand} legt seine Lieferanten offen und nutzt recycelte Stoffe.',
    ),
    neutral: opinion(
      '{brand} has announced sustainability goals for the coming years.',
      '{brand} hat Nachhaltigkeitsziele für die nächsten Jahre angekündigt.',
    ),
    negative: opinion('{brand} still treats its fabrics with PFAS.', '{brand} behandelt seine Stoffe noch immer mit PFAS.'),
  },
  {
    name: 'Customer service',
    positive: opinion(
      '{brand} replaced a broken zip within a week, no questions asked.',
      '{brand} hat einen defekten Reißverschluss binnen einer Woche ersetzt.',
    ),
    neutral: opinion('{brand} answers e-mails within two working days.', '{brand} beantwortet E-Mails innerhalb von zwei Werktagen.'),
    negative: opinion(
      'Returning an item to {brand} took six weeks and four e-mails.',
      'Eine Rücksendung an {brand} dauerte sechs Wochen und vier E-Mails.',
    ),
  },
  {
    name: 'Design',
    positive: opinion(
      '{brand} gets the details right: pockets where you need them.',
      'Bei {brand} stimmen die Details: Taschen dort, wo man sie braucht.',
    ),
    neutral: opinion(
      'The design of {brand} is functional rather than exciting.',
      'Das Design von {brand} ist eher funktional als aufregend.',
    ),
    negative: opinion(
      'The hood of the {brand} model gets in the way of a helmet.',
      'Die Kapuze des Modells von {brand} stört unter dem Helm.',
    ),
  },
  {
    name: 'Availability',
    positive: opinion('{brand} is in stock in all sizes at most retailers.', '{brand} ist fast überall in allen Größen lieferbar.'),
    neutral: opinion('{brand} is mainly sold through its own shop.', '{brand} gibt es vor allem im eigenen Shop.'),
    negative: opinion('{brand} was sold out for most of the season.', '{brand} war fast die ganze Saison ausverkauft.'),
  },
];
