// The box in the bar of the pages that finds a keyword, prompt, page, site or topic of an account. browser/find.ts makes a combobox of it.
import type { JSX } from 'preact';

/** The path of the page. */
export const FIND = '/find';
/** The parameter with the wanted text. */
export const WANTED = 'q';
/** Most characters that are looked for. */
export const MAX_WANTED = 500;
/** The list of hits under the box. */
export const LIST_ID = 'find-hits';

type BoxProps = Readonly<{
  /** What is chosen on the page and goes along. */
  chosen?: URLSearchParams | undefined;
}>;

/** A form without JavaScript; with it a combobox, whose list is filled while somebody types. */
export function FindBox({ chosen = new URLSearchParams() }: BoxProps): JSX.Element {
  return (
    <search class="finder">
      <form method="get" action={FIND}>
        {[...chosen]
          .filter(([name]) => name !== WANTED)
          .map(([name, value]) => (
            <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
          ))}
        <input
          type="search"
          name={WANTED}
          value={chosen.get(WANTED) ?? ''}
          maxLength={MAX_WANTED}
          placeholder="Find a keyword, page, prompt …"
          aria-label="Find a keyword, prompt, page, site or topic"
          aria-keyshortcuts="/"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          data-list={LIST_ID}
        />
      </form>
    </search>
  );
}
