// Saves a chart as SVG or PNG for documents, with its title, what it is of, and its legend, in the colours that are shown.
import { colourNameOf, type Drawing } from './draw.ts';
import { isLabelled } from './line-names.ts';

const SVG = 'http://www.w3.org/2000/svg';
const EDGE = 16;
const TITLE_HEIGHT = 40;
const CONTEXT_SIZE = 11;
const CONTEXT_HEIGHT = 15;
const LINE_HEIGHT = 22;
const KEY_WIDTH = 18;
/** Pixels per unit of a PNG, so that it is sharp on paper and on high-density screens. */
const PIXELS = 2;

export function addPictureButtons(place: HTMLElement, drawing: Drawing): void {
  const actions = place.closest('.panel')?.querySelector('.panel-actions');
  if (!actions) return;
  const offer = (kind: string, make: (svg: SVGSVGElement) => Promise<Blob>): void => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet picture';
    button.textContent = kind;
    button.setAttribute('aria-label', `${drawing.settings.title} as ${kind}`);
    button.addEventListener('click', async () =>
      save(await make(draw(place, drawing)), `${place.closest('.panel')?.id}.${kind.toLowerCase()}`),
    );
    const item = document.createElement('li');
    item.append(button);
    actions.append(item);
  };
  offer('SVG', async (svg) => toBlob(svg));
  offer('PNG', paint);
}

/** The drawing of echarts with a title and what it is of above, and a legend below where names do not stand at the lines. */
function draw(place: HTMLElement, drawing: Drawing): SVGSVGElement {
  const { settings, figures, hidden } = drawing;
  const chart = place.querySelector<SVGSVGElement>('.canvas svg');
  if (!chart) throw new Error('the chart is not drawn');
  const { width, height } = chart.getBoundingClientRect();
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const font = getComputedStyle(document.body).fontFamily;
  const measure = document.createElement('canvas').getContext('2d');
  const widthOf = (text: string, size: number): number => {
    if (measure) measure.font = `${size}px ${font}`;
    return measure?.measureText(text).width ?? text.length * size * 0.55;
  };
  const svg = make('svg', { xmlns: SVG });
  const context = wrap(settings.context ?? '', (text) => widthOf(text, CONTEXT_SIZE) <= width - 2 * EDGE);
  const top = TITLE_HEIGHT + context.length * CONTEXT_HEIGHT;
  const legend = make('g', {});
  let [x, y] = [EDGE, top + height + LINE_HEIGHT];
  for (const line of isLabelled(drawing, width) ? [] : figures.lines) {
    const { name } = line;
    if (hidden.has(name)) continue;
    const wide = KEY_WIDTH + widthOf(name, 13) + EDGE;
    if (x > EDGE && x + wide > width) [x, y] = [EDGE, y + LINE_HEIGHT];
    legend.append(make('rect', { x, y: y - 11, width: 12, height: 12, fill: colour(colourNameOf(drawing, line)) }));
    legend.append(write(name, { x: x + KEY_WIDTH, y, 'font-size': 13, fill: colour('text'), 'font-family': font }));
    x += wide;
  }
  const whole = y + EDGE;
  for (const [name, value] of Object.entries({ width, height: whole, viewBox: `0 0 ${width} ${whole}` }))
    svg.setAttribute(name, String(value));
  svg.append(make('rect', { width, height: whole, fill: colour('surface') }));
  svg.append(write(settings.title, { x: EDGE, y: 26, 'font-size': 17, 'font-weight': 600, fill: colour('text'), 'font-family': font }));
  for (const [at, text] of context.entries()) {
    const line = { x: EDGE, y: TITLE_HEIGHT + at * CONTEXT_HEIGHT + 4, 'font-size': CONTEXT_SIZE };
    svg.append(write(text, { ...line, fill: colour('dim'), 'font-family': font }));
  }
  const inner = make('g', { transform: `translate(0 ${top})` });
  inner.append(chart.cloneNode(true));
  svg.append(inner, legend);
  return svg;
}

/** A text in lines that fit. */
function wrap(text: string, fits: (line: string) => boolean): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const longer = [lines.at(-1), word].filter(Boolean).join(' ');
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function make<Name extends 'svg' | 'g' | 'rect' | 'text'>(
  name: Name,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (key !== 'xmlns') element.setAttribute(key, String(value));
  return element;
}

function write(text: string, attributes: Readonly<Record<string, string | number>>): SVGTextElement {
  const element = make('text', attributes);
  element.textContent = text;
  return element;
}

function toBlob(svg: SVGSVGElement): Blob {
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' });
}

async function paint(svg: SVGSVGElement): Promise<Blob> {
  const address = URL.createObjectURL(toBlob(svg));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Number(svg.getAttribute('width')) * PIXELS;
    canvas.height = Number(svg.getAttribute('height')) * PIXELS;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) => {
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('the browser cannot make a picture'))));
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Revoked later, once the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
