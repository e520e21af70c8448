// The glossary: what each measure means, from the declarations that panels, messages and assistants go by.
import type { JSX } from 'preact';
import { nameSome } from '../core/name-some.ts';
import { DATASETS } from '../datasets/index.ts';
import type { Board } from './boards.ts';
import { type Frame, Layout, writePage } from './layout.tsx';
import { type Measure, readMeasures } from './measures.ts';

/** The address of a measure's entry. */
export const glossaryOf = (measure: string): string => `/glossary#${measure}`;

export function glossaryPage(frame: Frame, boards: readonly Board[]): string {
  return writePage(
    <Layout frame={frame} title="Glossary" current="glossary" kind="glossary">
      <header class="board">
        <h1>Glossary</h1>
        <p class="lead">What the figures mean. A figure is a part of a whole, over the searches or prompts that are chosen.</p>
      </header>
      <Definitions measures={readMeasures()} boards={boards} />
      <section class="panel" aria-labelledby="of-changes">
        <h2 id="of-changes">Words of every change</h2>
        <dl class="definitions">
          {WORDS.map(([word, meaning]) => (
            <div key={word}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </section>
    </Layout>,
  );
}

/** Words that all measures have in common. */
const WORDS = [
  ['Like for like', 'The change over the searches or prompts that both weeks have. What came or went is told beside it.'],
  ['What happened', 'The part of a change that comes from other places, namings or citations.'],
  ['Other weights', 'The part that comes from other search volumes, or other numbers of answers.'],
  ['Added, dropped', 'What searches or prompts add to the difference of two weeks that only one of them has.'],
  [
    'Within noise',
    'As large a change is to be expected if nothing has happened, given how much single keywords or prompts change: 0 lies within its 95 % interval.',
  ],
  ['Gap', 'A week without a figure, with the reason. A gap is never shown as 0.'],
  ['By volume', 'Searches count by how often they are made in a month. Without it each counts alike.'],
] as const;

type DefinitionsProps = Readonly<{ measures: readonly Measure[]; boards: readonly Board[] }>;

export function Definitions({ measures, boards }: DefinitionsProps): JSX.Element {
  return (
    <section class="panel" aria-label="Figures">
      <dl class="definitions">
        {measures.map((measure) => (
          <div key={measure.name} id={measure.name}>
            <dt>{measure.title}</dt>
            <dd>
              <p>{measure.explained}</p>
              <p class="fine">
                {measure.unit === '%' ? 'In percent' : 'A place, of which 1 is the best'}, counted over tracked {measure.of};{' '}
                {measure.better === 'higher' ? 'more' : 'less'} is better. From {nameSome(measure.datasets.map(titleOf), MAX_NAMED)}.
                Without a whole it says: {measure.empty}.
              </p>
              <Shown measure={measure} boards={boards} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const MAX_NAMED = 7;
const titleOf = (dataset: string): string => DATASETS.find(({ name }) => name === dataset)?.title ?? dataset;

/** The panels that show it. */
function Shown({ measure, boards }: Readonly<{ measure: Measure; boards: readonly Board[] }>): JSX.Element | null {
  const panels = boards.flatMap((board) =>
    board.panels.filter((panel) => panel.measure === measure.name).map((panel) => ({ board, panel })),
  );
  if (panels.length === 0) return null;
  return (
    <p class="fine">
      Shown in{' '}
      {panels.map(({ board, panel }, at) => (
        <span key={`${board.name} ${panel.name}`}>
          {at > 0 && ', '}
          <a href={`/boards/${board.name}#${panel.name}`}>
            {board.title}: {panel.title}
          </a>
        </span>
      ))}
    </p>
  );
}
