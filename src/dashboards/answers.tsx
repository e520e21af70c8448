// Texts to be read, such as what assistants answer: each beside that of the week compared with, with what was added and removed, the brands that
// it names, and the pages that it cites newly or no more.
import type { ComponentChildren, JSX } from 'preact';
import { compareTexts, cutSide, type Passage, type Shown, sentencesOf, sideOf } from './answer-changes.ts';
import { type Marking, markingOf } from './answer-text.tsx';
import { type Cell, type Column, NOTICE_COLUMN, REASON_COLUMN, type Rows, showCell } from './cells.ts';
import { isCutText } from './cut-texts.ts';
import { labelOf } from './labels.ts';
import { hrefOf, type Named, whyOf } from './links.ts';
import type { Panel } from './panel-file.ts';
import { Breakable, headingOf, Linked, type TablePlace } from './result-table.tsx';

/** The columns that are not facts about a text. Names of brands and cited pages stand each on a line of its own. */
const COLUMNS = {
  week: 'this_week',
  weekBefore: 'other_week',
  ours: 'our_brands',
  rivals: 'rival_brands',
  cited: 'cited',
  citedBefore: 'cited_before',
  reason: REASON_COLUMN,
  notice: NOTICE_COLUMN,
} as const;

/** Each line of a cell leads to the board of a page, other than a link of a panel, which is of the whole cell. */
const TO_PAGE: Panel['links'] = new Map([[COLUMNS.cited, { board: 'page', about: 'page' }]]);

/** Longer texts are shown without what has changed, and those that come when the time of the panel is spent: others wait for it. */
const MAX_COMPARED = 20_000;
const MAX_DIFF_MS = 500;
const MAX_LINES = 200;
/** Who answers, and the measure of whether a brand of ours is named. */
const ASSISTANT = 'assistant';
const MEASURE = 'mention_rate';
/** Characters of a text, and lines of a list, on the board. The page of the panel has all. */
const MAX_SHOWN = 1_500;
const MAX_IDENTICAL = 600;
const MAX_PAGES = 8;

type Version = Readonly<{ week: Cell; text: string; cited: readonly string[] | undefined }>;
type Answer = Readonly<{
  before: Version | undefined;
  now: Version | undefined;
  passages: readonly Passage[] | undefined;
  marking: Marking;
}>;

type Props = Readonly<{ panel: Panel; rows: Rows; place: TablePlace }>;

export function Answers({ panel, rows: { columns, rows }, place }: Props): JSX.Element {
  const at = (name: string | undefined): number => columns.findIndex((column) => column.name === name);
  const [text, textBefore] = [at(panel.y[0]), at(panel.y[1])];
  const own = new Set([text, textBefore, ...Object.values(COLUMNS).map(at)]);
  const facts = columns.map((column, number) => ({ ...column, place: number })).filter(({ place: number }) => !own.has(number));
  const ends = performance.now() + MAX_DIFF_MS;
  const answers = rows.map((row): Answer => {
    const cellOf = (name: string): Cell => row[at(name)] ?? null;
    const versionOf = (written: Cell, week: Cell, cited: Cell): Version | undefined =>
      written === null ? undefined : { week, text: written, cited: cited === null ? undefined : linesOf(cited) };
    const now = versionOf(row[text] ?? null, cellOf(COLUMNS.week), cellOf(COLUMNS.cited));
    const before = versionOf(row[textBefore] ?? null, cellOf(COLUMNS.weekBefore), cellOf(COLUMNS.citedBefore));
    const marking = markingOf({ ours: linesOf(cellOf(COLUMNS.ours)), rivals: linesOf(cellOf(COLUMNS.rivals)) });
    return { before, now, marking, passages: comparePair(before?.text, now?.text, ends) };
  });
  return (
    <>
      {answers.some(({ passages }) => passages) && (
        <p class="fine legend-of-changes">
          <del>Gone</del> in the earlier week, <ins>new</ins> in the later one; brands are <mark>underlined</mark>.
        </p>
      )}
      <ul class="answers">
        {rows.map((row, number) => {
          const answer = answers[number];
          const id = `${panel.name}-${number + 1}`;
          return (
            <li key={number} id={id}>
              <Facts facts={facts} cells={row} />
              {row[at(COLUMNS.reason)] && (
                <p class="notice">
                  <bdi>{row[at(COLUMNS.reason)]}</bdi>
                </p>
              )}
              {answer && (
                <Compared
                  answer={answer}
                  panel={panel}
                  place={place}
                  whole={`${place.alone}#${id}`}
                  named={[{ column: ASSISTANT, cell: row[at(ASSISTANT)] ?? null }]}
                />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** What was cut at the end is no line. */
const linesOf = (cell: Cell): string[] =>
  (cell ?? '')
    .split('\n')
    .filter((line) => line !== '' && !isCutText(line))
    .slice(0, MAX_LINES);

function comparePair(before: string | undefined, now: string | undefined, ends: number): readonly Passage[] | undefined {
  if (before === undefined || now === undefined || before === now || before.length + now.length > MAX_COMPARED) return undefined;
  const timeout = ends - performance.now();
  return timeout > 0 ? compareTexts(before, now, timeout) : undefined;
}

type FactsProps = Readonly<{ facts: readonly (Column & Readonly<{ place: number }>)[]; cells: readonly Cell[] }>;

/** The first column names the text, the others are about it. */
function Facts({ facts: [first, ...others], cells }: FactsProps): JSX.Element {
  return (
    <header>
      <h3>
        <bdi>{first && labelOf(first.name, showCell(cells[first.place] ?? null, first.kind))}</bdi>
      </h3>
      <p class="fine">
        {others
          .filter(({ place }) => cells[place])
          .map(({ name, kind, place }, index) => (
            <span key={name}>
              {index > 0 && ' · '}
              {headingOf(name)}: <bdi>{showCell(cells[place] ?? null, kind)}</bdi>
            </span>
          ))}
      </p>
    </header>
  );
}

type ComparedProps = Readonly<{
  answer: Answer;
  panel: Panel;
  place: TablePlace;
  /** Where all of it is. */
  whole: string;
  /** Who answers. */
  named: readonly Named[];
}>;

function Compared({ answer, panel, place, whole, named }: ComparedProps): JSX.Element {
  const { before, now, passages, marking } = answer;
  const isSame = before !== undefined && before.text === now?.text;
  const shownOf = (side: 'before' | 'now', version: Version): ReturnType<typeof cutSide> => {
    const parts = passages
      ? sideOf(passages, side, place.isAlone)
      : sentencesOf(version.text).map((text): Shown => ({ text, isChanged: false }));
    return place.isAlone ? { parts, isCut: false } : cutSide(parts, isSame ? MAX_IDENTICAL : MAX_SHOWN);
  };
  const columns = (['before', 'now'] as const).flatMap((side) => {
    const version = answer[side];
    return version && !(isSame && side === 'before') ? [{ side, version, shown: shownOf(side, version) }] : [];
  });
  const isWhole = columns.every(({ shown }) => !shown.isCut && !shown.parts.some((part) => 'left' in part));
  return (
    <>
      <Brands answer={answer} why={whyOf(MEASURE, { ...place, here: `${place.here}#${panel.name}` }, named)} />
      {isSame && <p class="fine">Identical to the week compared with.</p>}
      <div class="versions">
        {columns.map(({ side, version, shown }) => (
          <Text
            key={side}
            side={side}
            week={version.week}
            parts={shown.parts}
            isGone={now === undefined}
            isAlone={columns.length < 2}
            mark={marking.mark}
          />
        ))}
        <Cited before={before} now={now} panel={panel} place={place} whole={whole} />
      </div>
      {!isWhole && (
        <p class="fine">
          <a href={whole}>{columns.length < 2 ? 'All of the answer' : 'Both answers in full'}</a>
        </p>
      )}
    </>
  );
}

type TextProps = Readonly<{
  side: 'before' | 'now';
  week: Cell;
  parts: readonly Shown[];
  isGone: boolean;
  /** Whether there is no other one beside it. */
  isAlone: boolean;
  mark: (text: string) => ComponentChildren;
}>;

function Text({ side, week, parts, isGone, isAlone, mark }: TextProps): JSX.Element {
  const Changed = side === 'before' ? 'del' : 'ins';
  return (
    <section class={isAlone ? 'version alone' : 'version'}>
      {week && (
        <h4>
          Week of <time>{week}</time>
        </h4>
      )}
      <div class={isGone ? 'answer gone' : 'answer'} dir="auto">
        {parts.map((part, at) => {
          if ('left' in part) {
            return (
              <span key={at} class="left">
                {part.left} sentences as in the other week
              </span>
            );
          }
          return part.isChanged ? <Changed key={at}>{mark(part.text)}</Changed> : <span key={at}>{mark(part.text)}</span>;
        })}
      </div>
    </section>
  );
}

/** The brands that either text names: those of both weeks, those that are new, and those that are gone. */
function Brands({ answer: { before, now, marking }, why }: Readonly<{ answer: Answer; why: string }>): JSX.Element {
  const then = before && marking.namesIn(before.text);
  const today = now && marking.namesIn(now.text);
  const all = [...new Set([...(today ?? []), ...(then ?? [])])];
  const isCompared = then !== undefined && today !== undefined;
  const isMoved = isCompared && then.some(marking.isOurs) !== today.some(marking.isOurs);
  return (
    <p class="named">
      {all.length === 0 ? (
        <span class="fine">Names no known brand.</span>
      ) : (
        all.map((name) => {
          const change = !isCompared ? '' : !then.includes(name) ? 'new' : !today.includes(name) ? 'lost' : '';
          return (
            <span key={name} class={['brand', marking.isOurs(name) && 'ours', change].filter(Boolean).join(' ')}>
              {change === 'new' && '+ '}
              {change === 'lost' && '− '}
              {marking.isOurs(name) && '★ '}
              <bdi>{name}</bdi>
              {change !== '' && <span class="hidden">{change === 'new' ? ', newly named' : ', no more named'}</span>}
            </span>
          );
        })
      )}
      {isMoved && (
        <a class="why" href={why}>
          Why<span class="hidden"> has the mention rate changed</span>?
        </a>
      )}
    </p>
  );
}

type CitedProps = Readonly<{ before: Version | undefined; now: Version | undefined; panel: Panel; place: TablePlace; whole: string }>;

/** The pages that the answers cite: gained and lost where those of both weeks are known. */
function Cited({ before, now, panel, place, whole }: CitedProps): JSX.Element | null {
  const [then, today] = [before?.cited, now?.cited];
  const known = today ?? then;
  if (known === undefined) return null;
  const listOf = (look: 'gained' | 'lost' | 'kept', pages: readonly string[]): JSX.Element => (
    <Pages look={look} pages={pages} panel={panel} place={place} whole={whole} />
  );
  if (then === undefined || today === undefined) {
    return (
      <section class="cited">
        <h4>Pages cited</h4>
        {known.length === 0 ? <p class="fine">None.</p> : listOf('kept', known)}
        {before && now && <p class="fine">Those of the other week are not known.</p>}
      </section>
    );
  }
  const gained = today.filter((url) => !then.includes(url));
  const lost = then.filter((url) => !today.includes(url));
  const kept = today.filter((url) => then.includes(url));
  return (
    <section class="cited">
      <h4>Pages cited</h4>
      {gained.length > 0 && listOf('gained', gained)}
      {lost.length > 0 && listOf('lost', lost)}
      {kept.length > 0 && (
        <details open={place.isAlone || (gained.length === 0 && lost.length === 0)}>
          <summary>{kept.length === 1 ? '1 in both weeks' : `${kept.length} in both weeks`}</summary>
          {listOf('kept', kept)}
        </details>
      )}
      {today.length + then.length === 0 && <p class="fine">None in either week.</p>}
    </section>
  );
}

const SIGNS = { gained: '+', lost: '−', kept: '' } as const;
const TITLES = { gained: 'Gained', lost: 'Lost', kept: 'Cited' } as const;

type PagesProps = Readonly<{ look: keyof typeof SIGNS; pages: readonly string[]; panel: Panel; place: TablePlace; whole: string }>;

function Pages({ look, pages, panel, place, whole }: PagesProps): JSX.Element {
  const shown = place.isAlone ? pages : pages.slice(0, MAX_PAGES);
  return (
    <ul class={`cited-pages ${look}`} aria-label={TITLES[look]}>
      {shown.map((url) => (
        <li key={url}>
          <span class={`cited-sign ${look}`} aria-hidden="true">
            {SIGNS[look]}
          </span>
          <bdi>
            <Linked href={hrefOf({ name: panel.name, links: TO_PAGE }, COLUMNS.cited, url, place)}>
              <Breakable text={url} />
            </Linked>
          </bdi>
        </li>
      ))}
      {shown.length < pages.length && (
        <li>
          <a href={whole}>{pages.length - shown.length} more</a>
        </li>
      )}
    </ul>
  );
}
