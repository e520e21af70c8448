// The dashboard of operations asks for series that are recorded or served, and its panels do not overlap.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { OPERATIONS_PANELS, operationsDashboard } from '../../../scripts/dashboards/grafana-operations.ts';

const recording = parse(readFileSync(new URL('../../../ops/recording.yml', import.meta.url), 'utf8'));
const recorded: string[] = recording.groups[0].rules.map(({ record }: { record: string }) => record);

it('every panel asks for series that are recorded, and every recorded one is shown', () => {
  const exprs = OPERATIONS_PANELS.flatMap(({ series }) => series.map(({ expr }) => expr)).join('\n');
  const asked = new Set(exprs.match(/\bsearchmill:[a-z0-9_:]+/g));
  expect(asked).toEqual(new Set(recorded));
});

it('panels fill the rows of the board without overlapping', () => {
  const taken = new Set<string>();
  for (const { gridPos } of operationsDashboard().panels ?? []) {
    const { x, y, w, h } = (gridPos ?? {}) as { x: number; y: number; w: number; h: number };
    expect(x + w).toBeLessThanOrEqual(24);
    for (let column = x; column < x + w; column++) {
      for (let row = y; row < y + h; row++) {
        expect(taken).not.toContain(`${column},${row}`);
        taken.add(`${column},${row}`);
      }
    }
  }
});

it('a single figure is the current one or missing, and never an older one', () => {
  for (const panel of operationsDashboard().panels ?? []) {
    const { type, targets, options } = panel as unknown as { type: string; targets: object[]; options?: object };
    if (type !== 'stat') continue;
    for (const target of targets) expect(target).toMatchObject({ instant: true });
    expect(options).toEqual({ reduceOptions: { calcs: ['last'] } });
  }
});
