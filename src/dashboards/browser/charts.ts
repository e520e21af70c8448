// The one script of the pages. It draws charts from the tables in the page; everything else works without it.
import { applyAtOnce, closeListsBehind, keepListsInPage } from './choosing.ts';
import { copyButton } from './copy-button.ts';
import { colourNameOf, createChart, type Drawing, describe, draw, PLACE, seriesAt } from './draw.ts';
import { type ChartSettings, readFigures } from './figures.ts';
import { setUpFinder } from './find.ts';
import { keepGiven, readGiven } from './given-colours.ts';
import { isLabelled } from './line-names.ts';
import { keepLive } from './live.ts';
import { type Look, looksOf, looksOfScale } from './looks.ts';
import { markChanges, readMarks } from './marks.ts';
import { addPictureButtons } from './pictures.ts';
import { addCopiedLink, setUpTable } from './tables.ts';

/** Lines that a chart shows at first. The legend can show the others. */
const MAX_LINES = 10;
const LOOK_AGAIN_MS = 5_000;
const SVG = 'http://www.w3.org/2000/svg';

const drawings = new Set<() => void>();
const given = readGiven();

for (const details of document.querySelectorAll<HTMLDetailsElement>('.figures-table')) {
  details.open = false;
  details.classList.add('is-ready');
}
for (const place of document.querySelectorAll<HTMLElement>('.chart')) setUpChart(place);
keepGiven(given);
const redraw = (): void => {
  for (const again of drawings) again();
};
for (const media of ['print', '(prefers-color-scheme: dark)']) matchMedia(media).addEventListener('change', redraw);
addEventListener('beforeprint', redraw);
addEventListener('afterprint', redraw);
for (const scroll of document.querySelectorAll<HTMLElement>('.scroll')) tellHiddenCells(scroll);
// Scrolls to the end, where the newest week is.
for (const table of document.querySelectorAll('.grid:has(thead time)')) table.closest('.scroll')?.scrollTo({ left: table.clientWidth });
for (const table of document.querySelectorAll<HTMLTableElement>('table.rows[data-panel]')) setUpTable(table);
for (const link of document.querySelectorAll<HTMLAnchorElement>('a.copied')) addCopiedLink(link);
for (const pre of document.querySelectorAll<HTMLElement>('.sql')) addCopyButton(pre, pre.closest('details'));
addCommandButtons(document.body);
closeListsBehind();
keepListsInPage();
for (const form of document.querySelectorAll<HTMLFormElement>('form.filter-line')) applyAtOnce(form);
for (const form of document.querySelectorAll<HTMLFormElement>('.finder form')) setUpFinder(form);
if (document.body.dataset.page === 'live') keepLive(addCommandButtons);
if (document.body.dataset.page === 'retry') lookAgain();

function setUpChart(place: HTMLElement): void {
  const table = place.closest('.panel')?.querySelector<HTMLTableElement>('table.rows');
  if (!table) return;
  const settings = JSON.parse(place.dataset.chart ?? '{}') as ChartSettings;
  const figures = readFigures(table, settings);
  const canvas = document.createElement('div');
  canvas.className = 'canvas';
  if (settings.unit && settings.unit !== '%') place.append(unitOf(settings.unit));
  place.append(canvas);
  place.classList.add('is-drawn');
  if (settings.chart === 'bar' && !figures.isByDate) canvas.style.height = `${Math.max(8, 3 + figures.places.length * 1.9)}rem`;
  const chart = createChart(canvas);
  const hidden = new Set(figures.lines.slice(MAX_LINES).map(({ name }) => name));
  // A line that has no name of its own is our figure, and needs no legend.
  const isNameless = settings.series === undefined && figures.lines.length === 1;
  const looks = settings.isScale
    ? looksOfScale(figures.lines.map(({ name }) => name))
    : looksOf(
        figures.lines.map(({ name, isOurs }) => ({ name, isOurs: isOurs || isNameless })),
        given,
      );
  const happened = readMarks(settings.datasets ?? []).filter(({ week }) => figures.places.includes(week));
  const marks = figures.isByDate ? markChanges(happened, figures.changes) : [];
  const drawing: Drawing = { chart, settings, figures, looks, marks, hidden };
  const legend = legendOf(drawing, hidden, () => again());
  const again = (): void => {
    chart.resize();
    legend.hidden = isNameless || isLabelled(drawing, chart.getWidth());
    draw(drawing);
  };
  drawings.add(again);
  new ResizeObserver(() => {
    if (canvas.clientWidth !== chart.getWidth()) again();
  }).observe(canvas);
  again();
  place.append(legend);
  readByKeys(canvas, drawing);
  // A name at the end of a line leads where it does in a legend; by keyboard it is a link of the table.
  chart.on('click', ({ seriesName }) => {
    const href = figures.lines.find(({ name }) => name === seriesName)?.href;
    if (href && isLabelled(drawing, chart.getWidth())) location.assign(href);
  });
  addTableButton(place);
  addPictureButtons(place, drawing);
}

/** The table of a chart is opened by the menu of its panel. */
function addTableButton(place: HTMLElement): void {
  const panel = place.closest('.panel');
  const table = panel?.querySelector<HTMLDetailsElement>('.figures-table');
  const menu = panel?.querySelector<HTMLDetailsElement>('.menu');
  const actions = menu?.querySelector('.panel-actions');
  if (!table || !actions) return;
  const item = document.createElement('li');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet table-button';
  button.textContent = 'Table';
  button.setAttribute('aria-expanded', 'false');
  table.addEventListener('toggle', () => button.setAttribute('aria-expanded', String(table.open)));
  button.addEventListener('click', () => {
    table.open = !table.open;
    if (menu) menu.open = false;
    if (table.open) table.scrollIntoView({ block: 'nearest' });
  });
  item.append(button);
  actions.prepend(item);
}

/** The unit of the value axis. Not used for percent, whose sign is at the axis labels. */
function unitOf(unit: string): HTMLElement {
  const text = document.createElement('p');
  text.className = 'axis fine';
  text.textContent = unit === PLACE ? 'Place (1 is best)' : unit.charAt(0).toUpperCase() + unit.slice(1);
  return text;
}

/** Buttons that show and hide lines, with links to their boards. A single line has no button. */
function legendOf(drawing: Drawing, hidden: Set<string>, again: () => void): HTMLElement {
  const { chart, settings, figures, looks } = drawing;
  const list = document.createElement('ul');
  list.className = 'legend';
  const isAlone = figures.lines.length < 2;
  list.setAttribute('aria-label', isAlone ? 'Legend' : 'Legend: shows and hides lines');
  for (const line of figures.lines) {
    const { name, isOurs, href } = line;
    const item = document.createElement('li');
    list.append(item);
    const label = document.createElement('bdi');
    label.textContent = isOurs ? `★ ${name}` : name;
    const key = keyOf(looks.get(name), colourNameOf(drawing, line), settings.chart === 'line');
    if (isAlone) {
      item.append(key, href ? linkTo(href, label) : label);
      break;
    }
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('aria-pressed', String(!hidden.has(name)));
    button.append(key, label);
    button.addEventListener('click', () => {
      if (!hidden.delete(name)) hidden.add(name);
      button.setAttribute('aria-pressed', String(!hidden.has(name)));
      again();
    });
    for (const [event, type] of [
      ['pointerenter', 'highlight'],
      ['focus', 'highlight'],
      ['pointerleave', 'downplay'],
      ['blur', 'downplay'],
    ] as const)
      button.addEventListener(event, () => chart.dispatchAction({ type, seriesName: name }));
    item.append(button);
    if (!href) continue;
    const link = linkTo(href, '→');
    link.setAttribute('aria-label', `Board of ${name}`);
    item.append(link);
  }
  return list;
}

function linkTo(href: string, label: string | HTMLElement): HTMLAnchorElement {
  const link = document.createElement('a');
  link.href = href;
  link.append(label);
  return link;
}

/** The legend's symbol: a piece of the line with its mark, or a square of its colour. */
function keyOf(look: Look | undefined, colour: string, isLine: boolean): SVGElement {
  const key = document.createElementNS(SVG, 'svg');
  key.setAttribute('class', `key key-${colour.replace('series-', '')}${isLine ? ' line' : ''}`);
  key.setAttribute('viewBox', isLine ? '-7 0 24 10' : '0 0 10 10');
  key.setAttribute('aria-hidden', 'true');
  for (const shape of isLine ? ['M-7 4H17V6H-7Z', look?.mark ?? ''] : ['M0 0H10V10H0Z']) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', shape);
    key.append(path);
  }
  return key;
}

/** Arrow keys move between the places of the x axis. The tooltip shows each one, and a live region announces it. */
function readByKeys(canvas: HTMLElement, { chart, settings, figures, marks, hidden }: Drawing): void {
  const spoken = document.createElement('p');
  spoken.className = 'hidden';
  spoken.setAttribute('aria-live', 'polite');
  canvas.after(spoken);
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-roledescription', 'chart');
  canvas.setAttribute('aria-label', `${settings.title}. Use the left and right arrow keys to read it; the table below has all figures.`);
  let at = -1;
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') chart.dispatchAction({ type: 'hideTip' });
    if (step === undefined) return;
    event.preventDefault();
    at = Math.min(figures.places.length - 1, Math.max(0, at + step));
    const place = figures.places[at] ?? '';
    const lines = figures.lines.filter(({ name }) => !hidden.has(name));
    // The tooltip needs a series that has a figure at this place.
    const seriesIndex = seriesAt({ settings, figures, hidden }, at);
    chart.dispatchAction(seriesIndex < 0 ? { type: 'hideTip' } : { type: 'showTip', seriesIndex, dataIndex: at });
    const points = lines.map(({ name, values }) => ({ name: place, seriesName: name, value: values[at] ?? null }));
    spoken.textContent = describe(points, settings.unit, marks).replaceAll('\n', ', ');
  });
  canvas.addEventListener('blur', () => chart.dispatchAction({ type: 'hideTip' }));
}

/** Marks the edges beyond which a table continues, since not every system shows scroll bars. */
function tellHiddenCells(scroll: HTMLElement): void {
  const tell = (): void => {
    scroll.classList.toggle('goes-back', scroll.scrollLeft > 1);
    scroll.classList.toggle('goes-on', scroll.scrollLeft + scroll.clientWidth < scroll.scrollWidth - 1);
    scroll.classList.toggle('goes-down', scroll.scrollTop + scroll.clientHeight < scroll.scrollHeight - 1);
  };
  scroll.addEventListener('scroll', tell, { passive: true });
  new ResizeObserver(tell).observe(scroll);
}

function addCommandButtons(within: HTMLElement): void {
  for (const command of within.querySelectorAll<HTMLElement>('.command')) addCopyButton(command);
}

/** Adds a copy button at the end of `place`, or else after the text. */
function addCopyButton(text: HTMLElement, place?: Element | null): void {
  const button = copyButton('Copy', () => text.textContent ?? '');
  if (!button) return;
  button.setAttribute('aria-label', place ? 'Copy the SQL' : `Copy ${text.textContent}`);
  if (place) place.append(button);
  else text.after(' ', button);
}

/** Reloads the page as soon as the server answers with a status below 500. */
function lookAgain(): void {
  setTimeout(async () => {
    const answer = await fetch(location.href).catch(() => undefined);
    if (answer && answer.status < 500) location.reload();
    else lookAgain();
  }, LOOK_AGAIN_MS);
}
