// What one chooses of a variable: one value from a list, or several by their boxes. A form without JavaScript sends either.
import type { JSX } from 'preact';
import type { Choice } from './board-view.ts';
import type { Option } from './variables.ts';

type ChoosingProps = Readonly<{ choice: Choice; isExplained?: boolean }>;

export function Choosing({ choice, isExplained = false }: ChoosingProps): JSX.Element {
  const { variable } = choice;
  return (
    <div class="choice">
      {variable.plural === undefined ? <One choice={choice} /> : <Several choice={choice} plural={variable.plural} />}
      {isExplained && <Explained variable={variable} />}
    </div>
  );
}

/** Those that are offered, and those that are chosen and not offered any more. */
function allOptions({ chosen, options }: Choice): readonly Option[] {
  const others = chosen.filter((value) => options.every((option) => option.value !== value));
  return [...others.map((value) => ({ value, label: value })), ...options];
}

/** What people call the values that are chosen. */
export function labelsOf(choice: Choice): readonly string[] {
  const labels = new Map(allOptions(choice).map(({ value, label }) => [value, label]));
  return choice.chosen.map((value) => labels.get(value) ?? value);
}

function One({ choice }: Readonly<{ choice: Choice }>): JSX.Element {
  const { variable, chosen } = choice;
  const { name, label, allLabel } = variable;
  const id = `choice-${name}`;
  return (
    <>
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {allLabel !== undefined && (
          <option value="" selected={chosen.length === 0}>
            {allLabel}
          </option>
        )}
        {allOptions(choice).map((option) => (
          <option key={option.value} value={option.value} selected={chosen.includes(option.value)}>
            {option.label}
          </option>
        ))}
      </select>
    </>
  );
}

/** None of the boxes is all of them. */
function Several({ choice, plural }: Readonly<{ choice: Choice; plural: string }>): JSX.Element {
  const { variable, chosen } = choice;
  const { name, label, allLabel, default: usual } = variable;
  const offered = allOptions(choice);
  return (
    <details class="several opens">
      <summary>
        <span class="label">{label}</span>
        <bdi>{tellChosen(choice, plural)}</bdi>
      </summary>
      <fieldset class="list">
        <legend class="hidden">
          {label}, none for {allLabel}
        </legend>
        {/* Without it, no box is the default. */}
        {usual !== null && <input type="hidden" name={name} value="" />}
        {offered.length === 0 && <p class="fine">There is nothing to choose from.</p>}
        {offered.map((option) => (
          <label key={option.value}>
            <input type="checkbox" name={name} value={option.value} checked={chosen.includes(option.value)} />
            <bdi>{option.label}</bdi>
          </label>
        ))}
      </fieldset>
    </details>
  );
}

/** `all`, the one by its name, or `2 of 5 assistants`. */
function tellChosen(choice: Choice, plural: string): string {
  const [first, ...more] = labelsOf(choice);
  if (first === undefined) return choice.variable.allLabel ?? 'none';
  return more.length === 0 ? first : `${choice.chosen.length} of ${allOptions(choice).length} ${plural}`;
}

function Explained({ variable: { label, explained } }: Pick<Choice, 'variable'>): JSX.Element | null {
  if (!explained) return null;
  return (
    <details class="explained">
      <summary>
        What is it?<span class="hidden"> {label}</span>
      </summary>
      {explained.map((sentence) => (
        <p key={sentence} class="fine">
          {sentence}
        </p>
      ))}
    </details>
  );
}
