// Texts to be read, such as what assistants answer: each beside the one before, with what has changed, and the brands that it names.
import { type ChangeObject, diffArrays } from 'diff';
import type { ComponentChildren, JSX } from 'preact';
import { type Cell, type Column, NOTICE_COLUMN, REASON_COLUMN, type Rows, showCell } from './cells.ts';
import { labelOf } from './labels.ts';
import type { Panel } from './panel-file.ts';
import { headingOf } from './result-table.tsx';

/** Names of brands in the texts, each on a line of its own. */
const OUR_BRANDS_COLUMN = 'our_brands';
const RIVAL_BRANDS_COLUMN = 'rival_brands';
/** Longer texts are shown without what has changed, and those that come when the time of the panel is spent: others wait for it. */
const MAX_COMPARED = 20_000;
const MAX_DIFF_MS = 500;
const MAX_NAMES = 200;

type Parts = readonly ChangeObject<string[]>[];
type Names = Readonly<{ ours: readonly string[]; rivals: readonly string[] }>;

export function Answers({ panel, rows: { columns, rows } }: Readonly<{ panel: Panel; rows: Rows }>): JSX.Element {
  const at = (name: string | undefined): number => columns.findIndex((column) => column.name === name);
  const [text, before, ours, rivals, reason] = [
    at(panel.y[0]),
    at(panel.y[1]),
    at(OUR_BRANDS_COLUMN),
    at(RIVAL_BRANDS_COLUMN),
    at(REASON_COLUMN),
  ];
  const facts = columns
    .map((column, place) => ({ ...column, place }))
    .filter(({ place }) => ![text, before, ours, rivals, reason, at(NOTICE_COLUMN)].includes(place));
  const changes = compareAll(rows.map((row) => ({ text: row[text] ?? null, before: row[before] ?? null })));
  return (
    <ul class="answers">
      {rows.map((row, number) => (
        <li key={number}>
          <Facts facts={facts} cells={row} />
          {row[reason] && (
            <p class="notice">
              <bdi>{row[reason]}</bdi>
            </p>
          )}
          <Answer
            text={row[text] ?? null}
            before={row[before] ?? null}
            parts={changes[number]}
            names={{ ours: linesOf(row[ours]), rivals: linesOf(row[rivals]) }}
          />
        </li>
      ))}
    </ul>
  );
}

const linesOf = (cell: Cell | undefined): string[] => (cell ?? '').split('\n').filter(Boolean).slice(0, MAX_NAMES);

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

type AnswerProps = Readonly<{ text: Cell; before: Cell; parts: Parts | undefined; names: Names }>;

function Answer({ text, before, parts, names }: AnswerProps): JSX.Element {
  const shown = text ?? before ?? '';
  const pattern = patternOf(names);
  const isOurs = (name: string): boolean => names.ours.some((each) => each.toLowerCase() === name.toLowerCase());
  const named = [...new Set(findNames(shown, pattern).map(({ name }) => name.toLowerCase()))];
  const nameOf = (lower: string): string => [...names.ours, ...names.rivals].find((name) => name.toLowerCase() === lower) ?? lower;
  const mark = (piece: string): ComponentChildren => emphasise(piece, (plain) => markNames(plain, pattern, isOurs));
  return (
    <>
      <p class="named">
        {named.length === 0 ? (
          <span class="fine">Names no known brand.</span>
        ) : (
          named.map((lower) => (
            <span key={lower} class={isOurs(lower) ? 'brand ours' : 'brand'}>
              {isOurs(lower) && '★ '}
              <bdi>{nameOf(lower)}</bdi>
            </span>
          ))
        )}
      </p>
      {text !== null && text === before && <p class="fine">Identical to the week compared with.</p>}
      {parts && (
        <p class="fine">
          <ins>Underlined</ins> is new; <del>struck through</del> is gone.
        </p>
      )}
      <div class={text === null ? 'answer gone' : 'answer'} dir="auto">
        {parts
          ? parts.map(({ added, removed, value }, index) => {
              const Part = added ? 'ins' : removed ? 'del' : 'span';
              return <Part key={index}>{mark(value.join(''))}</Part>;
            })
          : mark(shown)}
      </div>
    </>
  );
}

const SENTENCES = new Intl.Segmenter('und', { granularity: 'sentence' });

/** The sentences of a text, and each line that is none, such as an item of a list. All lines end, so that one that is gone is not run into the next. */
const sentencesOf = (text: string): string[] => Array.from(SENTENCES.segment(`${text.trimEnd()}\n`), ({ segment }) => segment);

/** What has changed in each, by sentences; undefined where nothing has, and where looking for it would take long. */
function compareAll(texts: readonly Readonly<{ text: Cell; before: Cell }>[]): readonly (Parts | undefined)[] {
  const ends = performance.now() + MAX_DIFF_MS;
  return texts.map(({ text, before }) => {
    if (text === null || before === null || text === before || before.length + text.length > MAX_COMPARED) return undefined;
    const timeout = ends - performance.now();
    return timeout > 0 ? diffArrays(sentencesOf(before), sentencesOf(text), { timeout }) : undefined;
  });
}

/** What assistants write as headings and in bold stands so. All else of their markup is shown as they wrote it, and links lead nowhere. */
const EMPHASIS = /\*\*([^*\n]+)\*\*|^#{1,6}[ \t]+(.+)$/gm;

function emphasise(text: string, mark: (plain: string) => ComponentChildren): ComponentChildren {
  const pieces: ComponentChildren[] = [];
  let from = 0;
  for (const { 0: whole, 1: bold, 2: heading, index } of text.matchAll(EMPHASIS)) {
    pieces.push(
      mark(text.slice(from, index)),
      <strong class={heading && 'heading'}>{mark(bold ?? heading?.replaceAll('**', '') ?? '')}</strong>,
    );
    from = index + whole.length;
  }
  return [...pieces, mark(text.slice(from))];
}

/** An address that holds a name does not name it: sources are listed below many answers. */
const ADDRESS = String.raw`(?:https?:\/\/|www\.)[^\s)\]]+`;

/** Finds the names in a text, the longest first, and not within longer words; and addresses, without a name. */
function patternOf({ ours, rivals }: Names): RegExp | undefined {
  const names = [...ours, ...rivals].toSorted((a, b) => b.length - a.length).map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return names.length > 0 ? new RegExp(`${ADDRESS}|(?<![\\p{L}\\p{N}])(${names.join('|')})(?![\\p{L}\\p{N}])`, 'giu') : undefined;
}

function findNames(text: string, pattern: RegExp | undefined): readonly Readonly<{ name: string; index: number }>[] {
  if (!pattern) return [];
  return [...text.matchAll(pattern)].flatMap(({ 1: name, index }) => (name === undefined ? [] : [{ name, index }]));
}

function markNames(text: string, pattern: RegExp | undefined, isOurs: (name: string) => boolean): ComponentChildren {
  const pieces: ComponentChildren[] = [];
  let from = 0;
  for (const { name, index } of findNames(text, pattern)) {
    pieces.push(text.slice(from, index), <mark class={isOurs(name) ? 'ours' : undefined}>{name}</mark>);
    from = index + name.length;
  }
  return [...pieces, text.slice(from)];
}
