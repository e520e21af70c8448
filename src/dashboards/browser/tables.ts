// Sorts and searches tables in the page. The server does the same from the address, so that a copied link shows the same table.
import { copyButton } from './copy-button.ts';

const COPIED_MS = 2_000;

export function setUpTable(table: HTMLTableElement): void {
  // Some of its rows are on the panel's own page only.
  if (table.dataset.elsewhere !== undefined) return;
  const panel = table.closest('.panel');
  for (const head of table.tHead?.rows[0]?.cells ?? []) {
    head.querySelector('a.sort')?.addEventListener('click', (event) => {
      event.preventDefault();
      sort(table, head);
    });
  }
  showRestHere(table);
  const form = panel?.querySelector<HTMLFormElement>('form.find');
  const field = form?.querySelector<HTMLInputElement>('input[type=search]');
  if (!form || !field) return;
  form.querySelector('button')?.remove();
  form.addEventListener('submit', (event) => event.preventDefault());
  field.addEventListener('input', () => {
    showRest(table);
    find(table, field.value);
    writeAddress(field.name, field.value.trim());
  });
}

/** Sorts by the values of the cells, not by their displayed text. */
function sort(table: HTMLTableElement, head: HTMLTableCellElement): void {
  const isFirstUp = head.dataset.kind === 'text';
  const isUp = head.ariaSort === null ? isFirstUp : head.ariaSort === 'descending';
  const readValue = (row: HTMLTableRowElement): string | number | undefined => {
    const cell = row.cells[head.cellIndex];
    if (cell?.querySelector('.none')) return undefined;
    const figure = cell?.querySelector('data')?.value;
    return figure === undefined ? (cell?.textContent ?? '').toLowerCase() : Number(figure);
  };
  showRest(table);
  const rows = [...(table.tBodies[0]?.rows ?? [])].map((row) => ({ row, value: readValue(row) }));
  rows.sort(({ value: a }, { value: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return (isUp ? 1 : -1) * (a === b ? 0 : a < b ? -1 : 1);
  });
  table.tBodies[0]?.append(...rows.map(({ row }) => row));
  for (const each of table.tHead?.rows[0]?.cells ?? []) each.ariaSort = null;
  head.ariaSort = isUp ? 'ascending' : 'descending';
  writeAddress(`sort.${table.dataset.panel}`, `${isUp ? '' : '-'}${head.dataset.column}`);
}

function find(table: HTMLTableElement, text: string): void {
  // Minus signs are shown that no keyboard has.
  const asTyped = (shown: string): string => shown.toLowerCase().replaceAll('\u2212', '-');
  const wanted = asTyped(text.trim());
  for (const row of table.tBodies[0]?.rows ?? [])
    row.hidden = ![...row.cells].some(({ textContent }) => asTyped(textContent ?? '').includes(wanted));
}

/** Makes the link to the remaining rows show them in place, since they are already in the page. */
function showRestHere(table: HTMLTableElement): void {
  restLinkOf(table)?.addEventListener('click', (event) => {
    event.preventDefault();
    showRest(table);
    table.closest<HTMLElement>('.scroll')?.focus();
  });
}

/** Moves the remaining rows into the first table body, so that sorting and searching cover all rows. */
function showRest(table: HTMLTableElement): void {
  const rest = table.querySelector('tbody.rest');
  if (!rest) return;
  table.tBodies[0]?.append(...rest.children);
  restLinkOf(table)?.parentElement?.remove();
  rest.remove();
}

function restLinkOf(table: HTMLTableElement): HTMLAnchorElement | null {
  return table.closest('.scroll')?.nextElementSibling?.querySelector<HTMLAnchorElement>('a[data-rest]') ?? null;
}

/** Updates the address, so that a copied link shows the same. */
function writeAddress(name: string, value: string): void {
  const address = new URL(location.href);
  if (value === '') address.searchParams.delete(name);
  else address.searchParams.set(name, value);
  history.replaceState(null, '', address);
}

/** Replaces the link by a button that copies the current address, including the order of tables. */
export function addCopiedLink(link: HTMLAnchorElement): void {
  const button = copyButton('Copy link', () => location.href, COPIED_MS);
  if (button) link.replaceWith(button);
}
