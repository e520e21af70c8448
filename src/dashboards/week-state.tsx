// The newest week that a page shows, and whether all of it is there: what an analyst needs to know of it, and whom to ask.
import type { JSX } from 'preact';
import { count } from '../core/numbers.ts';
import type { IsoDate } from '../core/weeks.ts';
import { DATASETS } from '../datasets/index.ts';
import type { DatasetWeek } from './sources.ts';

const ASK = 'ask those who run Searchmill';

/** What the states of a week mean for somebody who only reads figures. The words are those of search_reports.weeks. */
const MEANINGS: readonly (readonly [word: string, meaning: string])[] = [
  ['held', `loaded, but so unlike the weeks before that a person decides whether it is published: ${ASK}`],
  ['failed', `could not be loaded: ${ASK}`],
  ['missing', `not loaded yet; if it stays so for more than a day, ${ASK}`],
  ['running', 'being loaded; its figures follow by themselves'],
  ['being summarised', 'loaded; its figures follow within minutes'],
  ['not expected', `no job loads it for this week, or only later: ${ASK}`],
  ['expired', 'older than rows are kept'],
];

/** The meanings of the states that some reasons name, such as `held (acme-rankings)`, each once. */
export function meaningsOf(reasons: readonly string[]): readonly string[] {
  const told = reasons.join('\n');
  return MEANINGS.flatMap(([word, meaning]) => (new RegExp(String.raw`\b${word}\b`).test(told) ? [`${word}: ${meaning}`] : []));
}

const titleOf = (dataset: string): string => DATASETS.find(({ name }) => name === dataset)?.title ?? dataset;

type WeekStateProps = Readonly<{
  /** The newest week of each dataset that has it. */
  states: readonly DatasetWeek[];
  datasets: readonly string[];
}>;

/** `Week of 2026-11-15 · complete`, or how much of it is not there, which opens to say what and why. */
export function WeekState({ states, datasets }: WeekStateProps): JSX.Element {
  const week = states[0]?.week;
  if (week === undefined) return <p class="week-state">Nothing has been published yet</p>;
  const lacking = lackingOf(states, datasets);
  const mixed = mixedOf(states);
  if (lacking.length + mixed.length === 0) {
    return (
      <p class="week-state">
        <Week of={week} /> <span class="whole">complete</span>
      </p>
    );
  }
  return (
    <details class="week-state">
      <summary>
        <Week of={week} />{' '}
        <span class="lacking">
          {[
            lacking.length > 0 &&
              `not complete: ${count(lacking.length, 'dataset')} of ${states.length + unknownOf(states, datasets).length}`,
            mixed.length > 0 && `rows of jobs that are loaded no more: ${count(mixed.length, 'dataset')}`,
          ]
            .filter(Boolean)
            .join('; ')}
        </span>
      </summary>
      <ul>
        {[...lacking, ...mixed].map(({ title, why }) => (
          <li key={title}>
            <strong>{title}</strong>: <bdi>{why}</bdi>
          </li>
        ))}
        {meaningsOf(lacking.map(({ why }) => why)).map((meaning) => (
          <li key={meaning} class="fine">
            {meaning}.
          </li>
        ))}
      </ul>
    </details>
  );
}

const Week = ({ of: week }: Readonly<{ of: IsoDate }>): JSX.Element => (
  <>
    Week of <time>{week}</time>
  </>
);

type Lacking = Readonly<{ title: string; why: string }>;

/** Datasets of jobs whose newest week is older. */
const unknownOf = (states: readonly DatasetWeek[], datasets: readonly string[]): readonly string[] =>
  datasets.filter((dataset) => states.every((state) => state.dataset !== dataset));

function lackingOf(states: readonly DatasetWeek[], datasets: readonly string[]): readonly Lacking[] {
  return [
    ...states
      .filter(({ state, isPartial }) => state !== 'published' || isPartial)
      .map(({ dataset, state, reason }) => ({ title: titleOf(dataset), why: reason ?? state })),
    ...unknownOf(states, datasets).map((dataset) => ({ title: titleOf(dataset), why: 'not expected' })),
  ];
}

/** Datasets whose week is whole, with something to tell of it: rows of a job that was removed or is disabled. */
const mixedOf = (states: readonly DatasetWeek[]): readonly Lacking[] =>
  states.flatMap(({ dataset, state, reason, isPartial }) =>
    state === 'published' && !isPartial && reason !== null ? [{ title: titleOf(dataset), why: reason }] : [],
  );
