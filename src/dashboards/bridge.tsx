// A bridge (waterfall) from one figure to another: a bar for each, and between them one for each part of the change, which begins where the last
// one ended. It is drawn by the server and is a table, so that it is there without JavaScript and on paper.
import type { JSX } from 'preact';
import { type Cell, digitsOf, type Row, type Rows, showCell } from './cells.ts';
import type { Panel } from './panel-file.ts';
import { isColoured } from './readings.ts';
import { Breakable, headingOf, Scroll } from './result-table.tsx';

const KIND_COLUMN = 'kind';
const UNITS_COLUMN = 'units';
/** What stands for a whole figure in the column `kind`. */
const LEVEL = 'level';

type Step = Readonly<{ name: string; amount: number; cell: Cell; units: Cell; isLevel: boolean; isSignal: boolean }>;
/** Where a bar begins and ends, as figures. */
type Span = Readonly<{ from: number; to: number }>;

type BridgeProps = Readonly<{ panel: Panel; rows: Rows; partOf?: string | undefined }>;

export function Bridge({ panel, rows: { columns, rows }, partOf }: BridgeProps): JSX.Element {
  const at = (name: string | undefined): number => columns.findIndex((column) => column.name === name);
  const [nameAt, amountAt, kindAt, unitsAt] = [at(panel.x), at(panel.y[0]), at(KIND_COLUMN), at(UNITS_COLUMN)];
  const steps = rows
    .filter((row) => row[amountAt] !== null)
    .map(
      (row: Row): Step => ({
        name: row[nameAt] ?? '',
        amount: Number(row[amountAt]),
        cell: row[amountAt] ?? null,
        units: row[unitsAt] ?? null,
        isLevel: row[kindAt] === LEVEL,
        isSignal: isColoured(columns, row),
      }),
    );
  const digits = digitsOf(steps.map(({ cell }) => cell));
  const ends = endsOf(steps);
  const axis = axisOf(steps, ends);
  const spans = steps.map(({ isLevel }, number): Span => ({ from: isLevel ? axis.from : (ends[number - 1] ?? 0), to: ends[number] ?? 0 }));
  const show = (amount: number): string => showCell(String(Math.round(amount * 1000) / 1000), 'number');
  return (
    <Scroll label={`${panel.title}, chart`} partOf={partOf}>
      <table class="bridge">
        <caption class="hidden">{panel.title}</caption>
        <thead>
          <tr>
            <th scope="col" class="bridge-cell">
              {headingOf(panel.x ?? '')}
            </th>
            <th scope="col" class="bridge-cell number">
              {headingOf(panel.y[0] ?? '')}
            </th>
            <th scope="col" class="bridge-cell bars">
              <span class="hidden">Bars from </span>
              <span>{show(axis.from)}</span>
              <span class="hidden"> to </span>
              <span class="axis-end">{show(axis.to)}</span>
            </th>
            <th scope="col" class="bridge-cell number units">
              {headingOf(UNITS_COLUMN)}
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step, number) => (
            <tr key={`${number} ${step.name}`} class={step.isLevel ? 'level' : undefined}>
              <th scope="row" class="bridge-cell">
                <bdi>
                  <Breakable text={step.name} />
                </bdi>
              </th>
              <td class="bridge-cell number">
                <data value={step.cell ?? ''}>{tell(step, digits)}</data>
              </td>
              <td class="bridge-cell bars">
                <Bar step={step} span={spans[number]} next={steps[number + 1]} axis={axis} />
              </td>
              <td class="bridge-cell number units">{showCell(step.units, 'number')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function tell({ cell, amount, isLevel }: Step, digits: number): string {
  const shown = showCell(cell, 'number', digits);
  return !isLevel && amount > 0 ? `+${shown}` : shown;
}

/** The figure that each step leads to. */
function endsOf(steps: readonly Step[]): number[] {
  let figure = 0;
  return steps.map(({ amount, isLevel }) => {
    figure = isLevel ? amount : figure + amount;
    return figure;
  });
}

/** A change is seen although it is small beside the figures: the bars then begin at another figure than 0, which stands above them. */
function axisOf(steps: readonly Step[], ends: readonly number[]): Span {
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const spread = most - least;
  const isFlat = steps.every(({ isLevel, amount }) => isLevel || amount === 0);
  if (isFlat || spread > most / 3) return { from: Math.min(0, least), to: Math.max(most, 0) || 1 };
  return { from: Math.max(0, least - spread / 2), to: most + spread / 10 };
}

const WIDTH = 1000;
const HEIGHT = 28;
const THICK = 18;
const LEAST = 3;

type BarProps = Readonly<{ step: Step; span: Span | undefined; next: Step | undefined; axis: Span }>;

/** In an SVG, since pages have no inline styles. A thin line leads on to where the next one begins. */
function Bar({ step, span, next, axis }: BarProps): JSX.Element | null {
  if (!span) return null;
  const x = (figure: number): number => Math.round((WIDTH * (figure - axis.from)) / (axis.to - axis.from));
  const [left, right] = [Math.min(x(span.from), x(span.to)), Math.max(x(span.from), x(span.to))];
  const look = step.isLevel ? 'whole' : !step.isSignal || step.amount === 0 ? 'still' : step.amount > 0 ? 'up' : 'down';
  const end = Math.min(WIDTH - 1, Math.max(1, x(span.to)));
  return (
    <svg class={`bridge-bar ${look}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {next && <path class="joint" d={`M${end} ${HEIGHT / 2}V${HEIGHT}`} />}
      {!step.isLevel && <path class="joint" d={`M${Math.min(WIDTH - 1, Math.max(1, x(span.from)))} 0V${HEIGHT / 2}`} />}
      {step.amount !== 0 && (
        <rect x={Math.min(left, WIDTH - LEAST)} y={(HEIGHT - THICK) / 2} width={Math.max(LEAST, right - left)} height={THICK} />
      )}
    </svg>
  );
}
