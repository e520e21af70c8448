// What answers say about brands, by category and sentiment. `{brand}` stands for the name, `{products}` for the subject of the prompt.
import type { Language } from './words.ts';

export const SENTIMENT_VALUES = ['positive', 'neutral', 'negative'] as const;
export type SentimentValue = (typeof SENTIMENT_VALUES)[number];

type Sentence = Readonly<Record<Language, string>>;

export type OpinionCategory = Readonly<{ name: string } & Record<SentimentValue, readonly Sentence[]>>;

const say = (en: string, de: string): Sentence => ({ en, de });

/** Exactly eight: sentiments.ts walks them with odd steps. */
export const OPINIONS: readonly OpinionCategory[] = [
  {
    name: 'Quality',
    positive: [
      say(
        '{brand} is consistently praised for clean seams and sound materials.',
        '{brand} überzeugt mit sauberen Nähten und gutem Material.',
      ),
      say(
        '{brand} {products} came out on top for workmanship in two recent tests.',
        '{products} von {brand} lagen zuletzt in zwei Tests bei der Verarbeitung vorn.',
      ),
      say(
        'Testers call the finish of {brand} {products} "a class above the price".',
        'Tester nennen {products} von {brand} „eine Klasse besser als ihr Preis“.',
      ),
    ],
    neutral: [
      say('{brand} delivers the quality you would expect at its price.', '{brand} bietet die Qualität, die man zu diesem Preis erwartet.'),
      say(
        '{brand} {products} are solidly made, without anything that stands out.',
        '{products} von {brand} sind solide verarbeitet, ohne aufzufallen.',
      ),
    ],
    negative: [
      say(
        'Several reviewers found loose threads on new {brand} items.',
        'Mehrere Tester fanden bei neuen Artikeln von {brand} lose Fäden.',
      ),
      say(
        'Quality control at {brand} seems to vary: two of five {products} in the test had flaws.',
        'Die Qualität schwankt: Zwei von fünf getesteten Artikeln von {brand} hatten Mängel.',
      ),
      say(
        'Buyers complain that {brand} {products} feel flimsier than last year.',
        'Käufer bemängeln, dass {products} von {brand} dünner wirken als im Vorjahr.',
      ),
    ],
  },
  {
    name: 'Price',
    positive: [
      say(
        '{brand} offers "a lot of gear for the money", as one tester put it.',
        '{brand} bietet „viel Ausrüstung fürs Geld“, wie ein Tester schreibt.',
      ),
      say(
        'For most people {brand} {products} are the best value right now.',
        'Für die meisten sind {products} von {brand} derzeit der beste Kauf.',
      ),
      say('{brand} is often reduced by a fifth outside the season.', '{brand} ist außerhalb der Saison oft um ein Fünftel reduziert.'),
    ],
    neutral: [
      say('Prices at {brand} are in line with the rest of the market.', 'Die Preise von {brand} liegen im Marktdurchschnitt.'),
      say(
        '{brand} {products} cost a little more, but sales are frequent.',
        '{products} von {brand} kosten etwas mehr, sind aber oft im Angebot.',
      ),
    ],
    negative: [
      say('{brand} charges noticeably more than comparable makers.', '{brand} verlangt spürbar mehr als vergleichbare Hersteller.'),
      say(
        '{brand} {products} have become about 15 % dearer within a year.',
        '{products} von {brand} sind binnen eines Jahres rund 15 % teurer geworden.',
      ),
      say(
        'You pay for the logo: cheaper {products} did as well as those of {brand}.',
        'Man zahlt das Logo mit: Günstigere schnitten so gut ab wie {brand}.',
      ),
    ],
  },
  {
    name: 'Durability',
    positive: [
      say(
        'Owners report that {brand} gear still performs after five seasons.',
        'Besitzer berichten, dass {brand} auch nach fünf Saisons noch hält.',
      ),
      say('After 800 km our {brand} {products} showed hardly any wear.', '{products} von {brand} zeigten nach 800 km kaum Abnutzung.'),
      say(
        '{brand} sells every spare part singly, which keeps gear going for years.',
        '{brand} verkauft jedes Ersatzteil einzeln, das hält Ausrüstung lange am Leben.',
      ),
    ],
    neutral: [
      say('{brand} holds up fine for occasional weekend use.', 'Für gelegentliche Wochenenden hält {brand} gut durch.'),
      say(
        'How long {brand} {products} last depends a lot on care.',
        'Wie lange {products} von {brand} halten, hängt stark von der Pflege ab.',
      ),
    ],
    negative: [
      say("{brand}'s coating wore off within one wet autumn.", 'Die Beschichtung von {brand} war nach einem nassen Herbst hinüber.'),
      say(
        'A buckle of the {brand} model broke on the third day of our trip.',
        'Eine Schnalle des Modells von {brand} brach am dritten Tag unserer Tour.',
      ),
      say(
        'Forum users report that {brand} {products} rarely survive a second season.',
        'Im Forum heißt es, dass {products} von {brand} selten eine zweite Saison überstehen.',
      ),
    ],
  },
  {
    name: 'Comfort',
    positive: [
      say('{brand} was the most comfortable option in our long-distance test.', '{brand} war im Langstreckentest am bequemsten.'),
      say('{brand} {products} need no breaking in.', '{products} von {brand} sind vom ersten Tag an bequem.'),
      say('Women in particular praise the fit of {brand}.', 'Vor allem Frauen loben die Passform von {brand}.'),
    ],
    neutral: [
      say('Comfort with {brand} depends on getting the size right.', 'Der Komfort hängt bei {brand} von der richtigen Größe ab.'),
      say('{brand} {products} are comfortable enough for day trips.', '{products} von {brand} sind für Tagestouren bequem genug.'),
    ],
    negative: [
      say('{brand} runs narrow and caused pressure points.', '{brand} fällt schmal aus und drückte an einigen Stellen.'),
      say(
        'On warm days {brand} {products} were too clammy for most testers.',
        'An warmen Tagen waren {products} von {brand} den meisten Testern zu schwitzig.',
      ),
      say(
        'Sizes at {brand} differ from model to model, so order two.',
        'Die Größen von {brand} unterscheiden sich je nach Modell: lieber zwei bestellen.',
      ),
    ],
  },
  {
    name: 'Sustainability',
    positive: [
      say(
        '{brand} publishes its suppliers and uses recycled fabrics throughout.',
        '{brand} legt seine Lieferanten offen und nutzt recycelte Stoffe.',
      ),
      say('{brand} repairs its {products} free of charge for ten years.', '{products} repariert {brand} zehn Jahre lang kostenlos.'),
      say('{brand} has made all {products} without PFAS since last year.', '{products} von {brand} sind seit letztem Jahr frei von PFAS.'),
    ],
    neutral: [
      say(
        '{brand} has announced sustainability goals for the coming years.',
        '{brand} hat Nachhaltigkeitsziele für die nächsten Jahre angekündigt.',
      ),
      say('Part of the {brand} range carries a recognised label.', 'Ein Teil des Sortiments von {brand} trägt ein anerkanntes Siegel.'),
    ],
    negative: [
      say('{brand} still treats its fabrics with PFAS.', '{brand} behandelt seine Stoffe noch immer mit PFAS.'),
      say('{brand} says little about where its {products} are made.', '{brand} sagt wenig darüber, wo produziert wird.'),
      say('A consumer group accuses {brand} of vague climate claims.', 'Verbraucherschützer werfen {brand} vage Klimaversprechen vor.'),
    ],
  },
  {
    name: 'Customer service',
    positive: [
      say(
        '{brand} replaced a broken zip within a week, no questions asked.',
        '{brand} hat einen defekten Reißverschluss binnen einer Woche ersetzt.',
      ),
      say(
        'The chat of {brand} gave sound advice on {products} within minutes.',
        'Im Chat von {brand} gab es binnen Minuten gute Beratung.',
      ),
      say(
        'Returns to {brand} are free and refunded in three days.',
        'Rücksendungen an {brand} sind kostenlos und nach drei Tagen erstattet.',
      ),
    ],
    neutral: [
      say('{brand} answers e-mails within two working days.', '{brand} beantwortet E-Mails innerhalb von zwei Werktagen.'),
      say('Reviews of the service at {brand} are mixed.', 'Zum Service von {brand} gibt es gemischte Stimmen.'),
    ],
    negative: [
      say(
        'Returning an item to {brand} took six weeks and four e-mails.',
        'Eine Rücksendung an {brand} dauerte sechs Wochen und vier E-Mails.',
      ),
      say('Customers of {brand} report that nobody answers the phone.', 'Kunden von {brand} berichten, dass niemand ans Telefon geht.'),
      say(
        '{brand} turned down a warranty claim that others would have met.',
        '{brand} lehnte einen Garantiefall ab, den andere übernommen hätten.',
      ),
    ],
  },
  {
    name: 'Design',
    positive: [
      say(
        '{brand} gets the details right: pockets where you need them.',
        'Bei {brand} stimmen die Details: Taschen dort, wo man sie braucht.',
      ),
      say(
        '{brand} {products} pack down smaller than any other in the test.',
        '{products} von {brand} hatten im Test das kleinste Packmaß.',
      ),
      say('The new colours of {brand} get a lot of praise in forums.', 'Die neuen Farben von {brand} kommen in Foren gut an.'),
    ],
    neutral: [
      say('The design of {brand} is functional rather than exciting.', 'Das Design von {brand} ist eher funktional als aufregend.'),
      say(
        '{brand} {products} have hardly changed since the last model.',
        '{products} von {brand} haben sich gegenüber dem Vorjahr kaum verändert.',
      ),
    ],
    negative: [
      say('The hood of the {brand} model gets in the way of a helmet.', 'Die Kapuze des Modells von {brand} stört unter dem Helm.'),
      say(
        'The zip of the {brand} model can hardly be moved with gloves on.',
        'Der Reißverschluss des Modells von {brand} lässt sich mit Handschuhen kaum bedienen.',
      ),
      say('{brand} {products} weigh 120 g more than stated.', '{products} von {brand} wiegen 120 g mehr als angegeben.'),
    ],
  },
  {
    name: 'Availability',
    positive: [
      say('{brand} is in stock in all sizes at most retailers.', '{brand} ist fast überall in allen Größen lieferbar.'),
      say('{brand} delivers {products} the next day, even at weekends.', '{brand} liefert am nächsten Tag, auch am Wochenende.'),
      say(
        'You can try on {brand} {products} in more than forty shops.',
        '{products} von {brand} kann man in über vierzig Läden anprobieren.',
      ),
    ],
    neutral: [
      say('{brand} is mainly sold through its own shop.', '{brand} gibt es vor allem im eigenen Shop.'),
      say(
        '{brand} {products} are easy to find, except in odd sizes.',
        '{products} von {brand} sind gut zu bekommen, außer in seltenen Größen.',
      ),
    ],
    negative: [
      say('{brand} was sold out for most of the season.', '{brand} war fast die ganze Saison ausverkauft.'),
      say(
        'The shop of {brand} was hard to reach, and orders went missing.',
        'Der Shop von {brand} war kaum zu erreichen, Bestellungen gingen verloren.',
      ),
      say('{brand} {products} are hard to get outside the US.', '{products} von {brand} sind in Europa schwer zu bekommen.'),
    ],
  },
];

/** A sentence about a brand and the prompt's products. */
export function fillIn(sentence: Sentence, language: Language, brand: string, products: string): string {
  const text = sentence[language].replace('{brand}', brand);
  return text.startsWith('{products}')
    ? text.replace('{products}', products.slice(0, 1).toUpperCase() + products.slice(1))
    : text.replace('{products}', products);
}
