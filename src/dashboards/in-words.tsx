// The week in words, above the panels of Home.
import type { JSX } from 'preact';
import { addDays, type IsoDate } from '../core/weeks.ts';
import type { ShownPanel } from './board-view.ts';
import { type Fact, findNewestWeek, headlineOf, type Part } from './headline.ts';
import { leadOf, type Place } from './links.ts';

const Days = ({ of: week }: Readonly<{ of: IsoDate | undefined }>): JSX.Element | null =>
  week === undefined ? null : (
    <>
      from <time>{week}</time> to <time>{addDays(week, 6)}</time>
    </>
  );

type InWordsProps = Readonly<{ shown: readonly ShownPanel[]; place: Place }>;

/** What the panels say, in words that lead to what they name, and otherwise to the panel. */
export function InWords({ shown, place }: InWordsProps): JSX.Element | null {
  const facts = headlineOf(shown);
  if (facts.length === 0) return null;
  const leadOfPart = (fact: Fact, { named = [] }: Part): string | undefined => {
    const panel = shown.map((each) => each.panel).find(({ name }) => name === fact.panel);
    return panel && leadOf(panel, named, place);
  };
  return (
    <section class="in-words" aria-labelledby="in-words">
      <h2 id="in-words">
        The week <Days of={findNewestWeek(shown)} /> in words
      </h2>
      <ul class="headline">
        {facts.map((fact) => (
          <li key={fact.text}>
            {fact.parts.map((part, at) => (
              <Told key={at} part={part} lead={leadOfPart(fact, part)} panel={at === 0 ? fact.panel : undefined} />
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

type ToldProps = Readonly<{ part: Part; lead: string | undefined; panel: string | undefined }>;

/** A part of a sentence: it leads to what it names, else to the panel that it is from, else nowhere. */
function Told({ part, lead, panel }: ToldProps): JSX.Element {
  const text = <bdi>{part.text}</bdi>;
  if (lead !== undefined) return <a href={lead}>{text}</a>;
  if (panel === undefined) return text;
  return (
    <a class="fact" href={`#${panel}`}>
      {text}
    </a>
  );
}
