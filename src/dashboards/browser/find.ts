// The box of the bar as a combobox (ARIA Authoring Practices): a list of hits opens while somebody types, arrow keys choose, Enter opens the
// board of what is chosen, Escape closes the list. "/" focuses the box. Without this script the box is a form.

const WAIT_MS = 120;
/** A single letter is in nearly everything. */
const MIN_LETTERS = 2;
const SHORTCUT = '/';

export function setUpFinder(form: HTMLFormElement): void {
  const box = form.querySelector<HTMLInputElement>('input[type=search]');
  if (!box) return;
  const list = document.createElement('div');
  list.id = box.dataset.list ?? 'find-hits';
  list.className = 'hits';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'What was found');
  const said = document.createElement('p');
  said.className = 'hidden';
  said.setAttribute('aria-live', 'polite');
  form.append(list, said);
  box.setAttribute('role', 'combobox');
  box.setAttribute('aria-autocomplete', 'list');
  box.setAttribute('aria-controls', list.id);
  box.setAttribute('aria-expanded', 'false');

  let waiting: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();
  const options = (): readonly HTMLAnchorElement[] => [...list.querySelectorAll('a')];
  const chosen = (): HTMLAnchorElement | undefined => options().find(({ ariaSelected }) => ariaSelected === 'true');

  const show = (isOpen: boolean): void => {
    list.hidden = !isOpen;
    box.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) choose(undefined);
  };
  const choose = (wanted: HTMLAnchorElement | undefined): void => {
    for (const option of options()) option.ariaSelected = String(option === wanted);
    if (wanted) box.setAttribute('aria-activedescendant', wanted.id);
    else box.removeAttribute('aria-activedescendant');
    wanted?.scrollIntoView({ block: 'nearest' });
  };
  const move = (step: 1 | -1): void => {
    const all = options();
    if (list.hidden && all.length > 0) show(true);
    const at = all.findIndex(({ ariaSelected }) => ariaSelected === 'true');
    // Before the first and after the last option stands the box itself.
    const next = at === -1 && step === -1 ? all.length - 1 : at + step;
    choose(all[next]);
  };
  const close = (): void => {
    clearTimeout(waiting);
    asking.abort();
    show(false);
  };
  const look = async (): Promise<void> => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const query = new URLSearchParams([...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]));
    try {
      const answer = await fetch(`${form.action}/hits?${query}`, { signal });
      // Without a session the answer is the page to log in.
      if (!answer.ok || answer.redirected) return close();
      const { body } = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (signal.aborted) return;
      list.replaceChildren(...body.querySelectorAll('a'));
      said.textContent = body.querySelector('output')?.textContent ?? '';
      box.removeAttribute('aria-activedescendant');
      if (options().length === 0) list.append(said.textContent);
      show(true);
    } catch {
      // Another letter was typed, or the server is away: the form still leads to the page.
    }
  };

  box.addEventListener('input', () => {
    clearTimeout(waiting);
    if (box.value.trim().length < MIN_LETTERS) return close();
    waiting = setTimeout(() => void look(), WAIT_MS);
  });
  box.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && !list.hidden) {
      const option = chosen();
      if (!option) return;
      event.preventDefault();
      option.click();
    } else if (event.key === 'Escape' && !list.hidden) {
      // The first Escape closes the list; the browser's own, the next, empties the box.
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
  // A press of the pointer on an option must not take the focus away before its click.
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
  });
  form.addEventListener('submit', (event) => {
    if (box.value.trim() === '') event.preventDefault();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== SHORTCUT || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
}

/** Whether a key that is pressed there is a letter of a text. */
function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}
