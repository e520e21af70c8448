// Lists of which several may be chosen close when one goes on elsewhere. Without it they close by their heading.

const openLists = (): NodeListOf<HTMLDetailsElement> => document.querySelectorAll<HTMLDetailsElement>('.several[open]');

export function closeListsBehind(): void {
  // Not before the click: where lists stand in the flow, what is clicked would move away.
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
