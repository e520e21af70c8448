// Closes open lists of options when the reader clicks elsewhere or presses Escape. Without it they close by their heading.

const openLists = (): NodeListOf<HTMLDetailsElement> => document.querySelectorAll<HTMLDetailsElement>('.several[open]');

export function closeListsBehind(): void {
  // On click and not earlier: closing a list moves the page, so the target would move away under the pointer.
  addEventListener('click', ({ target }) => {
    for (const list of openLists()) if (!(target instanceof Node && list.contains(target))) list.open = false;
  });
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const list of openLists()) {
      list.open = false;
      list.querySelector('summary')?.focus();
    }
  });
}
