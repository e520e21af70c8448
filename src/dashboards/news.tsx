// The news of a week: a line each, with its amount as a bar before it, the largest first, and a way to why.
import type { JSX } from 'preact';
import type { Rows } from './cells.ts';
import { glossaryOf } from './glossary-page.tsx';
import { type NewsLine, newsOf, RIVAL_COLUMN } from './headline.ts';
import { boardFrom, hrefOf, type Place, whyOf } from './links.ts';
import type { Panel } from './panel-file.ts';
import { isSignal as isSignalReading, tellReading } from './readings.ts';
import { isVariableName } from './variables.ts';

/** The board of what can be won. */
const NEXT_BOARD = 'to-win';

type NewsProps = Readonly<{ panel: Panel; rows: Rows; place: Place }>;

export function News({ panel, rows, place }: NewsProps): JSX.Element {
  const lines = newsOf(panel, rows);
  const most = Math.max(...lines.map(({ amount }) => Math.abs(amount)));
  return (
    <>
      <ol class="news">
        {lines.map((line) => (
          <Line key={`${line.text} ${line.amount}`} line={line} share={most > 0 ? Math.abs(line.amount) / most : 0} place={place} />
        ))}
      </ol>
      {/* A report has its lists. */}
      {place.partOf === undefined && (
        <p class="note">
          What can be done next:{' '}
          <a href={boardFrom(NEXT_BOARD, { ...place, here: `${place.here}#${panel.name}` })}>
            searches within reach, prompts whose answers name others, and the sources of such answers
          </a>
          .
        </p>
      )}
    </>
  );
}

type LineProps = Readonly<{
  line: NewsLine;
  /** Of the largest amount. */
  share: number;
  place: Place;
}>;

function Line({ line, share, place }: LineProps): JSX.Element {
  const { text, shown, measure, isGood, isSignal } = line;
  // Noise has no colour.
  const look = isSignal ? (isGood ? 'up' : 'down') : 'still';
  return (
    <li>
      <Bar share={share} look={look} />
      <span class={`amount ${look}`}>
        {shown}
        <span class="hidden"> points</span>
      </span>
      <span class="of">{measure && <a href={glossaryOf(measure.name)}>{measure.title}</a>}</span>
      <span class="sentence">
        <bdi>{text}</bdi> {!isSignal && <span class="fine">({tellLine(line)})</span>}
      </span>
      {measure && (
        <a class="why" href={whyOfLine(line, measure.name, place)}>
          Why<span class="hidden">: {text}</span>?
        </a>
      )}
    </li>
  );
}

/** Why a line has no colour: a change that is more than chance may have gone the other way as a whole. */
const tellLine = ({ reading }: NewsLine): string => (isSignalReading(reading) ? 'the whole moved the other way' : tellReading(reading));

const LEAST = 1;

/** In an SVG, since pages have no inline styles. */
function Bar({ share, look }: Readonly<{ share: number; look: string }>): JSX.Element {
  return (
    <svg class={`bar ${look}`} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.max(LEAST, Math.round(share * 1000) / 10)} height="10" />
    </svg>
  );
}

/** Of a rival, the board that sets it against us; else the board Why of the measure, with what the line is about. */
function whyOfLine({ panel, named, rival }: NewsLine, measure: string, place: Place): string {
  const against = hrefOf(panel, RIVAL_COLUMN, rival, place);
  if (against !== undefined) return against;
  const chosenFor = (board: string): URLSearchParams => {
    const query = place.chosenFor(board);
    for (const { column, cell } of named) if (cell && isVariableName(column)) query.set(column, cell);
    return query;
  };
  return whyOf(measure, { here: `${place.here}#${panel.name}`, chosenFor });
}
