// What makes the line of filters and the menus quick to use: a choice applies at once, and what is open closes by a click elsewhere or Escape.
// Without it the form has a button, and lists close by their heading.

const openLists = (): NodeListOf<HTMLDetailsElement> => document.querySelectorAll<HTMLDetailsElement>('.opens[open]');

export function closeListsBehind(): void {
  // On click and not earlier: closing a list moves the page, so the target would move away under the pointer.
  addEventListener('click', ({ target }) => {
    for (const list of openLists()) if (!(target instanceof Node && list.contains(target))) list.open = false;
  });
  addEventListener('keydown', ({ key }) => {
    // The innermost: one that is inside another closes first.
    const last = [...openLists()].at(-1);
    if (key !== 'Escape' || !last) return;
    last.open = false;
    last.querySelector('summary')?.focus();
  });
}

const EDGE = 8;

/** What opens beyond the right edge of the page moves back into it. */
export function keepListsInPage(): void {
  document.addEventListener(
    'toggle',
    ({ target }) => {
      const list = target instanceof HTMLDetailsElement && target.open ? target.querySelector<HTMLElement>(':scope > .list') : null;
      if (!list) return;
      list.style.translate = '';
      const beyond = list.getBoundingClientRect().right - (document.documentElement.clientWidth - EDGE);
      if (beyond > 0) list.style.translate = `${-beyond}px`;
    },
    true,
  );
}

export function applyAtOnce(form: HTMLFormElement): void {
  const begun = writtenOf(form);
  const apply = (): void => {
    if (writtenOf(form) !== begun) form.requestSubmit();
  };
  for (const select of form.querySelectorAll('select')) applySelect(select, apply);
  // Several boxes are ticked in one go.
  for (const list of form.querySelectorAll<HTMLDetailsElement>('.several')) {
    list.addEventListener('toggle', () => {
      if (!list.open) apply();
    });
    const around = list.closest<HTMLDetailsElement>('.more-filters');
    around?.addEventListener('toggle', () => {
      if (!around.open) apply();
    });
  }
  // A browser that goes back may show what was ticked before the page was left, which its figures do not go by.
  addEventListener('pageshow', () => form.reset());
}

/** Arrow keys go through the options, so a choice by them applies by Enter, or when the list is left. */
function applySelect(select: HTMLSelectElement, apply: () => void): void {
  let isByKeys = false;
  select.addEventListener('keydown', ({ key }) => {
    isByKeys = key !== 'Enter';
    if (key === 'Enter') apply();
  });
  select.addEventListener('pointerdown', () => {
    isByKeys = false;
  });
  select.addEventListener('change', () => {
    if (!isByKeys) apply();
  });
  select.addEventListener('blur', apply);
}

const writtenOf = (form: HTMLFormElement): string =>
  new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)])).toString();
