// The picture for the README, drawn from a run: bars for the throughput of ours and the peers, and a line with other figures as single numbers.
// Colours follow the reader's light or dark theme.
import { formatMachine } from '../support/machine.ts';
import type { Run } from './run.ts';
import { formatNumber } from './table.ts';

const WIDTH = 820;
const MARGIN = 24;
const BAR = { top: 74, height: 26, step: 38, left: 250, right: 130 };
/** Room for a line above the bars of the other run. */
const OTHERS = { above: 40 };
const TILE = { height: 92, titleAt: 40, captionAt: 60, lineHeight: 15, charactersPerLine: 22 };

const STYLE = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .value { font-weight: 600; }
  .headline { font-size: 22px; font-weight: 600; }
  .quiet { fill: #59636e; font-size: 12px; }
  .ours { fill: #0969da; }
  .peer { fill: #afb8c1; }
  .rule { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .ours { fill: #4493f8; }
    .peer { fill: #656c76; }
    .rule { stroke: #3d444d; }
  }`;

type Bar = Readonly<{ name: string; value: number; isOurs: boolean }>;

/** Returns an SVG document. `other`: a run with the peers, which is of another day and load, so its bars have a scale of their own. */
export function drawPicture(run: Run, other?: Run): string {
  const bars = barsOf(run, 'end-to-end');
  const others = other ? barsOf(other, 'peers') : [];
  const othersAt = BAR.top + bars.length * BAR.step + OTHERS.above;
  const headlines = run.measured.flatMap(({ findings }) => findings?.headline ?? []);
  const tilesAt = BAR.top + bars.length * BAR.step + (others.length > 0 ? OTHERS.above + others.length * BAR.step : 0) + 16;
  const height = tilesAt + (headlines.length > 0 ? TILE.height + 24 : 0) + 28;
  const longest = Math.max(...bars.map((bar) => bar.value), 1);
  const tileWidth = (WIDTH - 2 * MARGIN) / Math.max(headlines.length, 1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>Searchmill: rows per second from HTTP to published table</title>`,
    `<style>${STYLE}\n</style>`,
    text(MARGIN, 34, 'Rows per second, from HTTP to published table', 'title'),
    text(MARGIN, 54, 'one worker process, 31 columns, against tools that load the same rows into the same table', 'quiet'),
    ...bars.flatMap((bar, index) => drawBar(bar, BAR.top + index * BAR.step, longest)),
    ...(others.length > 0 && other ? [text(MARGIN, othersAt - 12, describeOthers(other), 'quiet')] : []),
    ...others.flatMap((bar, index) => drawBar(bar, othersAt + index * BAR.step, Math.max(...others.map(({ value }) => value), 1))),
    ...(headlines.length > 0 ? [`<line class="rule" x1="${MARGIN}" y1="${tilesAt}" x2="${WIDTH - MARGIN}" y2="${tilesAt}"/>`] : []),
    ...headlines.flatMap(({ value, caption }, index) => [
      text(MARGIN + index * tileWidth, tilesAt + TILE.titleAt, value, 'headline'),
      ...breakLines(caption, TILE.charactersPerLine).map((line, row) =>
        text(MARGIN + index * tileWidth, tilesAt + TILE.captionAt + row * TILE.lineHeight, line, 'quiet'),
      ),
    ]),
    text(MARGIN, height - 14, `${formatMachine(run.machine)}; ${run.startedAt.slice(0, 10)}`, 'quiet'),
    '</svg>',
    '',
  ].join('\n');
}

function describeOthers({ startedAt }: Run): string {
  return `loaders with a connector, against a sandbox on a busy machine, ${startedAt.slice(0, 10)}: only the ratios tell`;
}

/** Bars of ours and every peer in rows per second of a figure, fastest first. */
function barsOf(run: Run, figure: string): Bar[] {
  const all = run.measured.find(({ name }) => name === figure)?.findings?.results ?? [];
  const results = all.filter(({ unit }) => unit === 'rows/s');
  const rates = new Map(results.flatMap(({ peer }) => (peer ? [[peer.name, peer.value] as const] : [])));
  const peers = [...rates].map(([name, value]) => ({ name, value, isOurs: false }));
  const ours = results[0] ? [{ name: 'Searchmill', value: results[0].ours, isOurs: true }] : [];
  return [...ours, ...peers].toSorted((a, b) => b.value - a.value);
}

function drawBar({ name, value, isOurs }: Bar, top: number, longest: number): string[] {
  const width = Math.max(1, Math.round((value / longest) * (WIDTH - BAR.left - BAR.right)));
  const baseline = top + BAR.height / 2 + 5;
  return [
    text(MARGIN, baseline, name, isOurs ? 'value' : ''),
    `<rect class="${isOurs ? 'ours' : 'peer'}" x="${BAR.left}" y="${top}" width="${width}" height="${BAR.height}" rx="3"/>`,
    text(BAR.left + width + 10, baseline, formatNumber(value), 'value'),
  ];
}

/** Breaks a text at spaces into lines of at most `length` characters, unless a word is longer. */
export function breakLines(caption: string, length: number): string[] {
  const lines: string[] = [];
  for (const word of caption.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= length) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function text(x: number, y: number, content: string, kind: string): string {
  return `<text x="${x}" y="${y}"${kind === '' ? '' : ` class="${kind}"`}>${escapeXml(content)}</text>`;
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
