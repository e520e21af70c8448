// The bridge of the board Why: each bar begins where the last one ended.
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { Bridge } from '../../../src/dashboards/bridge.tsx';
import type { Column, Row } from '../../../src/dashboards/cells.ts';

const panel = readBoards()
  .flatMap(({ panels }) => panels)
  .find(({ chart }) => chart === 'bridge');
if (!panel) throw new Error('no panel is a bridge');
const columns: Column[] = [
  { name: 'step', kind: 'text' },
  { name: 'amount', kind: 'number' },
  { name: 'units', kind: 'number' },
  { name: 'kind', kind: 'text' },
  { name: 'reading', kind: 'text' },
];
type Step = readonly [step: string, amount: string, kind: string];
const show = (steps: readonly Step[], reading = 'less'): string =>
  renderToString(
    h(Bridge, { panel, rows: { columns, rows: steps.map(([step, amount, kind]): Row => [step, amount, '4', kind, reading]) } }),
  );
/** Where the bars begin and end. */
const barsOf = (html: string): (readonly [left: number, right: number])[] =>
  [...html.matchAll(/<rect x="(\d+)"[^>]*width="(\d+)"/g)].map(([, x, width]) => [Number(x), Number(x) + Number(width)]);

const STEPS: readonly Step[] = [
  ['Week of 1', '40.000', 'level'],
  ['boots', '-10.000', 'like for like'],
  ['tents', '4.000', 'like for like'],
  ['Added', '0.000', 'added'],
  ['Dropped', '-14.000', 'dropped'],
  ['Week of 2', '20.000', 'level'],
];

describe('the bridge', () => {
  it('begins each bar where the last one ended, from 0 if the change is large, and has no bar for nothing', () => {
    expect(barsOf(show(STEPS))).toEqual([
      [0, 1000],
      [750, 1000],
      [750, 850],
      [500, 850],
      [0, 500],
    ]);
  });

  it('shows a small change of a large figure, from a figure that is written above', () => {
    const html = show([
      ['Week of 1', '90.000', 'level'],
      ['boots', '-1.000', 'like for like'],
      ['Week of 2', '89.000', 'level'],
    ]);
    expect(html).toMatch(/88\.5.*90\.1/s);
    const [, boots] = barsOf(html);
    expect((boots?.[1] ?? 0) - (boots?.[0] ?? 0)).toBeGreaterThan(500);
  });

  it('has colours for what is more than noise only, and the sign of each amount', () => {
    expect([...show(STEPS).matchAll(/bridge-bar (\w+)/g)].map(([, look]) => look)).toEqual([
      'whole',
      'down',
      'up',
      'still',
      'down',
      'whole',
    ]);
    const noise = show(STEPS, 'within noise');
    expect(noise).not.toMatch(/bridge-bar (up|down)/);
    expect(noise).toContain('>−10</data>');
    expect(noise).toContain('>+4</data>');
  });

  it('is a table without any bar, too, and text of others stays text', () => {
    const html = show([['<img src=x>', '1', 'like for like']]);
    expect(html).not.toContain('<img');
    expect(html).toContain('<th scope="row"');
  });
});
