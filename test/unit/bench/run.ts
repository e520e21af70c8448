// A small run to report on.
import type { Run } from '../../../bench/report/run.ts';

export const run: Run = {
  startedAt: '2026-11-21T03:00:00.000Z',
  seconds: 600,
  mode: 'full',
  isWhole: true,
  machine: { cpu: 'Example CPU', cores: 2, memoryGiB: 8, system: 'Linux 6', node: 'v20.19.0', postgres: '17.10' },
  measured: [
    {
      name: 'end-to-end',
      title: 'End to end',
      findings: {
        results: [
          {
            figure: 'against a',
            ours: 60_000,
            unit: 'rows/s',
            peer: { name: 'tool <a>', value: 80_000 },
            ratio: 0.75,
            goal: 'at least 0.8 x',
            isMet: false,
          },
          {
            figure: 'against b',
            ours: 60_000,
            unit: 'rows/s',
            peer: { name: 'tool b', value: 15_000 },
            ratio: 4,
            goal: 'at least 4 x',
            isMet: true,
          },
        ],
        notes: ['a note'],
        headline: { value: '60,000', caption: 'rows per second' },
      },
    },
    { name: 'idle', title: 'Idle', failure: 'there is no /proc' },
  ],
};
