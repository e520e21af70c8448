// Saves a chart as SVG or PNG for documents, with its title and legend, in the colours that are shown.
import type { Drawing } from './draw.ts';

const SVG = 'http://www.w3.org/2000/svg';
const EDGE = 16;
const TITLE_HEIGHT = 40;
const LINE_HEIGHT = 22;
const KEY_WIDTH = 18;
/** Pixels per unit of a PNG, so that it is sharp on paper and on high-density screens. */
const PIXELS = 2;

export function addPictureButtons(place: HTMLElement, drawing: Drawing): void {
  const more = place.closest('.panel')?.querySelector('.more');
  const csv = more?.querySelector('.csv');
  if (!csv) return;
  const offer = (kind: string, make: (svg: SVGSVGElement) => Promise<Blob>): void => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet picture';
    button.textContent = kind;
    button.setAttribute('aria-label', `${drawing.settings.title} as ${kind}`);
    button.addEventListener('click', async () =>
      save(await make(draw(place, drawing)), `${place.closest('.panel')?.id}.${kind.toLowerCase()}`),
    );
    csv.before(button);
  };
  offer('SVG', async (svg) => toBlob(svg));
  offer('PNG', paint);
}

/** The drawing of echarts with a title above and a legend below. */
function draw(place: HTMLElement, { settings, figures, looks, hidden }: Drawing): SVGSVGElement {
  const chart = place.querySelector<SVGSVGElement>('.canvas svg');
  if (!chart) throw new Error('the chart is not drawn');
  const { width, height } = chart.getBoundingClientRect();
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const font = getComputedStyle(document.body).fontFamily;
  const svg = make('svg', { xmlns: SVG });
  const legend = make('g', {});
  const measure = document.createElement('canvas').getContext('2d');
  if (measure) measure.font = `13px ${font}`;
  let [x, y] = [EDGE, TITLE_HEIGHT + height + LINE_HEIGHT];
  for (const { name } of figures.lines) {
    if (hidden.has(name)) continue;
    const wide = KEY_WIDTH + (measure?.measureText(name).width ?? name.length * 7) + EDGE;
    if (x > EDGE && x + wide > width) [x, y] = [EDGE, y + LINE_HEIGHT];
    legend.append(make('rect', { x, y: y - 11, width: 12, height: 12, fill: colour(`series-${looks.get(name)?.colour}`) }));
    legend.append(write(name, { x: x + KEY_WIDTH, y, 'font-size': 13, fill: colour('text'), 'font-family': font }));
    x += wide;
  }
  const whole = y + EDGE;
  for (const [name, value] of Object.entries({ width, height: whole, viewBox: `0 0 ${width} ${whole}` }))
    svg.setAttribute(name, String(value));
  svg.append(make('rect', { width, height: whole, fill: colour('surface') }));
  svg.append(write(settings.title, { x: EDGE, y: 26, 'font-size': 17, 'font-weight': 600, fill: colour('text'), 'font-family': font }));
  const inner = make('g', { transform: `translate(0 ${TITLE_HEIGHT})` });
  inner.append(chart.cloneNode(true));
  svg.append(inner, legend);
  return svg;
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
