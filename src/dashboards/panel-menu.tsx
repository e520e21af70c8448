// The one menu of a panel: what can be done with it, how it is computed and its SQL. charts.js adds what needs a script: pictures and the table.
import type { JSX } from 'preact';
import type { Panel } from './panel-file.ts';
import { Filters } from './panel-filters.tsx';
import { Scroll } from './result-table.tsx';
import type { Source } from './sources.ts';
import { fillIn } from './sql-text.ts';
import type { Values } from './variables.ts';

type PanelMenuProps = Readonly<{
  panel: Panel;
  values: Values;
  sources: readonly Source[];
  /** The choices as they stand in addresses. */
  search: string;
  /** Where the panel has a page for itself, and whether this is it. */
  alone: string;
  isAlone: boolean;
}>;

export function PanelMenu({ panel, values, sources, search, alone, isAlone }: PanelMenuProps): JSX.Element {
  return (
    <details class="menu opens">
      <summary aria-label={`Menu of ${panel.title}`}>⋯</summary>
      <div class="list">
        <ul class="panel-actions">
          <li>
            {isAlone ? (
              <a class="copied" href={alone}>
                Link<span class="hidden"> to {panel.title}</span>
              </a>
            ) : (
              <a class="alone" href={alone}>
                Own page<span class="hidden">: {panel.title}</span>
              </a>
            )}
          </li>
          <li>
            <a class="csv" href={`/boards/${panel.board}/${panel.name}.csv${search}`} download>
              CSV<span class="hidden"> of {panel.title}</span>
            </a>
          </li>
        </ul>
        <details>
          <summary>How this is computed</summary>
          <p>{panel.question}</p>
          <p>{panel.computed}</p>
          <p>Filters of the jobs that load it:</p>
          <Filters sources={sources.filter(({ dataset }) => panel.datasets.includes(dataset))} />
        </details>
        <details>
          <summary>SQL</summary>
          <p class="fine">Runs in psql unchanged.</p>
          <Scroll label={`SQL of ${panel.title}`}>
            <pre class="sql">
              <code>{fillIn(panel, values)}</code>
            </pre>
          </Scroll>
        </details>
      </div>
    </details>
  );
}
