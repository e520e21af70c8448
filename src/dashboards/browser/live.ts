// Keeps a page live: fetches it again every few seconds and replaces its content. Opened details, scroll positions and the focus are kept, and
// nothing is replaced while the reader writes or selects text.

const POLL_EVERY_MS = 5_000;

export function keepLive(onChange: (main: HTMLElement) => void): void {
  let shown = '';
  const look = async (): Promise<void> => {
    const main = document.querySelector('main');
    if (document.visibilityState === 'visible' && main && !isBusy(main)) {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined);
      // Redirected to the login: the session has ended.
      if (answer?.redirected) return location.reload();
      document.body.classList.toggle('is-stale', !answer?.ok);
      const next = answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main') : null;
      if (next && next.innerHTML !== shown && !isBusy(main)) {
        shown = next.innerHTML;
        replace(main, next);
        onChange(main);
      }
    }
    setTimeout(look, POLL_EVERY_MS);
  };
  setTimeout(look, POLL_EVERY_MS);
}

/** Whether the reader is writing into a field or has selected text. */
function isBusy(main: HTMLElement): boolean {
  const focused = document.activeElement;
  const isWriting = focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement || focused instanceof HTMLSelectElement;
  const selection = getSelection();
  return (isWriting && main.contains(focused)) || (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode));
}

function replace(main: HTMLElement, next: HTMLElement): void {
  const focusedAt = pathOf(main, document.activeElement);
  const open = new Set([...main.querySelectorAll('details[open]')].map(nameOf));
  const scrolled = new Map(
    [...main.querySelectorAll('.scroll')].map((one) => [one.getAttribute('aria-label'), [one.scrollLeft, one.scrollTop]]),
  );
  main.replaceChildren(...next.childNodes);
  for (const details of main.querySelectorAll('details')) if (open.has(nameOf(details))) details.open = true;
  for (const one of main.querySelectorAll('.scroll')) {
    const [left = 0, top = 0] = scrolled.get(one.getAttribute('aria-label')) ?? [];
    one.scrollTo(left, top);
  }
  if (focusedAt) elementAt(main, focusedAt)?.focus({ preventScroll: true });
}

function nameOf(details: Element): string {
  return `${details.closest('section')?.id} ${details.querySelector('summary')?.textContent}`;
}

/** The child indexes that lead from `main` to an element; undefined if it is not inside `main`. */
function pathOf(main: Element, element: Element | null): number[] | undefined {
  const path: number[] = [];
  let at = element;
  while (at && at !== main) {
    const parent: Element | null = at.parentElement;
    path.unshift(parent ? [...parent.children].indexOf(at) : -1);
    at = parent;
  }
  return at === main && path.length > 0 ? path : undefined;
}

function elementAt(main: Element, path: readonly number[]): HTMLElement | undefined {
  const found = path.reduce<Element | undefined>((at, number) => at?.children[number], main);
  return found instanceof HTMLElement ? found : undefined;
}
