// The line of filters above the panels: what is chosen as chips, the rest behind one of them, and the week beside them. It is a form whose state
// is the address; with JavaScript a choice applies at once.
import type { JSX } from 'preact';
import { nameSome } from '../core/name-some.ts';
import { type Choice, defaultOf, SINCE, UNTIL } from './board-view.ts';
import type { Board } from './boards.ts';
import { Choosing, labelsOf } from './choosing.tsx';
import { readDays, type VariableName } from './variables.ts';

type FilterLineProps = Readonly<{
  board: Pick<Board, 'about'>;
  action: string;
  choices: readonly Choice[];
  /** All that the address says. */
  kept: URLSearchParams;
  /** What stands at the end of the line. */
  children: JSX.Element | null;
}>;

/** Chosen on every board, so always in sight. */
const ALWAYS: readonly VariableName[] = ['account', 'measure', 'week', 'before', 'weeks', 'compare'];

export function FilterLine({ board, action, choices, kept, children }: FilterLineProps): JSX.Element {
  const others = [...kept].filter(([name]) => choices.every(({ variable }) => variable.name !== name));
  const isInSight = (choice: Choice): boolean =>
    ALWAYS.includes(choice.variable.name) || choice.variable.name === board.about || !isUsual(choice);
  const hidden = choices.filter((choice) => !isInSight(choice) && !choice.variable.isLinked);
  return (
    <form class="filter-line" method="get" action={action} autocomplete="off" aria-label="Filters">
      {others.map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
      {choices.filter(isInSight).map((choice) => (
        <div key={choice.variable.name} class="chip">
          {choice.variable.choice.kind === 'span' ? <Span choice={choice} action={action} kept={kept} /> : <Choosing choice={choice} />}
          <Remove board={board} choice={choice} action={action} kept={kept} />
        </div>
      ))}
      {hidden.length > 0 && (
        <details class="chip more-filters opens">
          <summary>Filter</summary>
          <div class="list">
            {hidden.map((choice) => (
              <Choosing key={choice.variable.name} choice={choice} isExplained />
            ))}
          </div>
        </details>
      )}
      <button type="submit">Show</button>
      {children}
    </form>
  );
}

const isUsual = ({ variable, chosen, options }: Choice): boolean => chosen.join() === defaultOf(variable, options).join();

type RemoveProps = Pick<FilterLineProps, 'board' | 'action' | 'kept'> & Readonly<{ choice: Choice }>;

/** Leads to the page without what is chosen of a filter. */
function Remove({ board, choice, action, kept }: RemoveProps): JSX.Element | null {
  const { variable, options } = choice;
  if (isUsual(choice) || variable.name === board.about || ['account', 'measure', 'week'].includes(variable.name)) return null;
  const query = new URLSearchParams(kept);
  query.delete(variable.name);
  for (const value of defaultOf(variable, options)) query.append(variable.name, value);
  return (
    <a class="remove" href={`${action}?${query}`}>
      <span aria-hidden="true">×</span>
      <span class="hidden">Without {variable.label}</span>
    </a>
  );
}

/** Of several values, in one line. */
const MAX_TOLD = 3;

/** `Account: Acme (12345) · Country: US`: the account, the weeks, and what is chosen other than usual. */
export const tellChoices = (choices: readonly Choice[]): string => choices.map(tellChoice).filter(Boolean).join(' · ');

function tellChoice(choice: Choice): string {
  const { variable, chosen } = choice;
  const isTold = ['account', 'measure', 'weeks', 'compare'].includes(variable.name) || chosen.join() !== (variable.default ?? '');
  return isTold && chosen.length > 0 ? `${variable.label}: ${nameSome(labelsOf(choice), MAX_TOLD)}` : '';
}

const PRESETS: readonly (readonly [value: string, label: string])[] = [
  ['4', '4'],
  ['13', '13'],
  ['26', '26'],
  ['52', '52'],
  ['year', 'this year'],
];

type SpanProps = Pick<FilterLineProps, 'action' | 'kept'> & Readonly<{ choice: Choice }>;

/** Numbers of weeks to go to, or two days to write. */
function Span({ choice: { variable, chosen }, action, kept }: SpanProps): JSX.Element {
  const { name, label } = variable;
  const value = chosen[0] ?? '';
  const days = readDays(value);
  const others = days || PRESETS.some(([preset]) => preset === value) ? [] : [[value, value] as const];
  const addressOf = (weeks: string): string => {
    const query = new URLSearchParams(kept);
    query.set(name, weeks);
    return `${action}?${query}`;
  };
  return (
    <details class="opens weeks">
      <summary>
        <span class="label">{label}</span> {days ? `${days.since || '…'} to ${days.until || '…'}` : value === 'year' ? 'this year' : value}
      </summary>
      <fieldset class="list">
        <legend class="hidden">{label}</legend>
        {!days && <input type="hidden" name={name} value={value} />}
        <span class="presets">
          {[...PRESETS, ...others].map(([preset, text]) => (
            <a key={preset} class="preset" href={addressOf(preset)} aria-current={preset === value ? 'true' : undefined}>
              {text}
              {text === preset && <span class="hidden"> weeks</span>}
            </a>
          ))}
        </span>
        <label>
          From <input type="date" name={SINCE} value={days?.since ?? ''} />
        </label>
        <label>
          to <input type="date" name={UNTIL} value={days?.until ?? ''} />
        </label>
        <button type="submit" class="quiet">
          Apply
        </button>
      </fieldset>
    </details>
  );
}
