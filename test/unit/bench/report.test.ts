import { describe, expect, it } from 'vitest';
import { fillTables } from '../../../bench/report/document.ts';
import { medianRun } from '../../../bench/report/median-run.ts';
import { breakLines, drawPicture } from '../../../bench/report/picture.ts';
import type { Measured, Run } from '../../../bench/report/run.ts';
import { formatNumber, formatTable } from '../../../bench/report/table.ts';
import type { Result } from '../../../bench/support/figure.ts';
import { run } from './run.ts';

describe('formatNumber', () => {
  it.each([
    [56_789.4, '56,789'],
    [12.34, '12.3'],
    [0.987, '0.99'],
    [0, '0'],
  ])('shows %d as %s', (value, shown) => expect(formatNumber(value)).toBe(shown));
});

describe('the printed table', () => {
  it('says which goals are met, and why a figure is missing', () => {
    const table = formatTable(run.measured);
    expect(table).toMatch(/against a .*60,000 rows\/s.*80,000 rows\/s.*0\.75 x.*NOT MET/);
    expect(table).toMatch(/against b .* 4 x .*at least 4 x +met/);
    expect(table).toContain('not measured: there is no /proc');
  });
});

describe('the tables of the documentation', () => {
  const page = 'before\n<!-- bench: end-to-end -->\nold\n<!-- end -->\nafter\n<!-- bench: run -->\n<!-- end -->\n';

  it('replace what stands between the marks, and nothing else', () => {
    const filled = fillTables(page, run);
    expect(filled).toMatch(/^before\n<!-- bench: end-to-end -->\n\nfigure [\s\S]* \| \*\*not met\*\*\n[\s\S]*<!-- end -->\nafter\n/);
    expect(filled).not.toContain('old');
    expect(filled).toContain('2 x Example CPU');
    expect(fillTables(filled, run)).toBe(filled);
  });

  it('are not filled from a figure that failed', () => {
    expect(() => fillTables('<!-- bench: idle -->\n<!-- end -->', run)).toThrow('there is no /proc');
  });

  it('stay as they are where a partial run has no figures for them, and say when the others were measured', () => {
    const some = { ...run, isWhole: false };
    const other = '<!-- bench: memory -->\nold\n<!-- end -->';
    expect(fillTables(other, some)).toBe(other);
    expect(fillTables('<!-- bench: run -->\nold\n<!-- end -->', some)).toContain('old');
    expect(fillTables(page, some)).toMatch(/\nfigure[\s\S]*\n- Measured on .*2 x Example CPU[\s\S]*<!-- end -->\nafter/);
  });
});

describe('the medians of several runs', () => {
  /** The run with other numbers in its first line, and no failed figure. */
  const measuredAs = (ours: number, ratio: number, isMet: boolean): Run => {
    const [endToEnd] = run.measured as [Measured];
    const [line, ...others] = endToEnd.findings?.results ?? [];
    const results = [{ ...(line as Result), ours, ratio, isMet }, ...others];
    return { ...run, measured: [{ ...endToEnd, findings: { results, notes: [`of ${ours}`] } }] };
  };
  const runs = [measuredAs(70_000, 0.7, false), measuredAs(90_000, 1.1, true), measuredAs(80_000, 1, true)];

  it('are taken line by line, and a goal is met where most runs met it', () => {
    const { findings } = medianRun(runs).measured[0] as Measured;
    expect(findings?.results[0]).toMatchObject({ ours: 80_000, ratio: 1, isMet: true, peer: { value: 80_000 } });
    expect(findings?.notes).toEqual(['of 80000']);
    expect(fillTables('<!-- bench: run -->\n<!-- end -->', medianRun(runs))).toContain('medians of 3 full runs');
  });

  it('need an odd number of runs of the same lines', () => {
    expect(() => medianRun(runs.slice(1))).toThrow('2 runs have no median');
    const [endToEnd] = run.measured as [Measured];
    const short = { ...run, measured: [{ ...endToEnd, findings: { results: [], notes: [] } }] };
    expect(() => medianRun([...runs.slice(1), short])).toThrow('not every run has the line "against a"');
    expect(() => medianRun([...runs.slice(1), { ...run, measured: [] }])).toThrow('not every run has the figure end-to-end');
  });
});

describe('the picture', () => {
  it('has a bar for ours and for every peer, fastest first, as long as their rates', () => {
    const bars = [...drawPicture(run).matchAll(/class="(ours|peer)" x="\d+" y="\d+" width="(\d+)"/g)].map(
      (bar) => [bar[1], Number(bar[2])] as const,
    );
    expect(bars.map(([kind]) => kind)).toEqual(['peer', 'ours', 'peer']);
    const widths = bars.map(([, width]) => width);
    expect((widths[1] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(60 / 80, 2);
    expect((widths[2] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(15 / 80, 2);
  });

  it('has bars of another run with the peers below, by a scale of their own', () => {
    const speed = { figure: 'rows', ours: 4_000, unit: 'rows/s', peer: { name: 'loader', value: 1_000 } };
    const memory = { figure: 'memory', ours: 100, unit: 'MB', peer: { name: 'loader', value: 900_000 } };
    const peers = { ...run, measured: [{ name: 'peers', title: 'Peers', findings: { results: [speed, memory], notes: [] } }] };
    const widths = [...drawPicture(run, peers).matchAll(/class="(?:ours|peer)" x="\d+" y="\d+" width="(\d+)"/g)].map((bar) =>
      Number(bar[1]),
    );
    expect(widths).toHaveLength(5);
    expect(widths[3]).toBe(widths[0]);
    expect((widths[4] ?? 0) / (widths[3] ?? 1)).toBeCloseTo(1 / 4, 2);
  });

  it('escapes names and shows headlines', () => {
    const picture = drawPicture(run);
    expect(picture).toContain('tool &lt;a&gt;');
    expect(picture).toContain('rows per second');
  });

  it('is drawn for a run without a throughput, too', () => {
    expect(drawPicture({ ...run, measured: [] })).toContain('</svg>');
  });
});

describe('breakLines', () => {
  it('breaks at spaces only, and keeps every word', () => {
    expect(breakLines('of the allowed calls used, never one too many', 22)).toEqual([
      'of the allowed calls',
      'used, never one too',
      'many',
    ]);
    expect(breakLines('incomprehensibilities', 5)).toEqual(['incomprehensibilities']);
  });
});
