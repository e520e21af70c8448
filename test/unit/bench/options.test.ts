import { describe, expect, it } from 'vitest';
import { readOptions } from '../../../bench/options.ts';
import type { NamedFigure } from '../../../bench/support/figure.ts';

const figureNamed = (name: string): NamedFigure => ({ name, title: name, measure: async () => ({ results: [], notes: [] }) });
const all = ['idle', 'memory', 'growth'].map(figureNamed);

describe('the command line of the benchmark', () => {
  it('measures everything in full by default', () => {
    expect(readOptions([], all)).toEqual({ action: 'measure', mode: 'full', isWhole: true, figures: all });
  });

  it('takes a list of figures, and measures them in the usual order', () => {
    expect(readOptions(['--quick', '--only', 'growth, idle'], all)).toEqual({
      action: 'measure',
      mode: 'quick',
      isWhole: false,
      figures: [all[0], all[2]],
    });
  });

  it('measures the peers alone, or beside named figures', () => {
    const withPeers = [...all, figureNamed('peers')];
    expect(readOptions(['--peers'], withPeers)).toMatchObject({ isWhole: false, figures: [withPeers[3]] });
    expect(readOptions(['--peers', '--only', 'idle'], withPeers)).toMatchObject({ figures: [withPeers[0], withPeers[3]] });
  });

  it('refuses an unknown figure, and names the known ones', () => {
    expect(() => readOptions(['--only', 'growth,speed'], all)).toThrow('no figure speed; there are idle, memory, growth');
    expect(() => readOptions(['--fast'], all)).toThrow('--fast');
  });

  it('publishes kept runs, and explains itself', () => {
    expect(readOptions(['--publish', 'x.json', '--publish', 'y.json'], all)).toEqual({ action: 'publish', paths: ['x.json', 'y.json'] });
    expect(readOptions(['--help'], all)).toMatchObject({ action: 'help', text: expect.stringContaining('growth') });
  });
});
