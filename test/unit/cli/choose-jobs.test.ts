import { describe, expect, it } from 'vitest';
import { chooseJobs, chooseWeeks } from '../../../src/cli/choose-jobs.ts';
import type { JobsConfig } from '../../../src/config/settings.ts';
import { jobOf } from '../../support/jobs.ts';

const config: JobsConfig = {
  path: 'jobs.config.yaml',
  connections: new Map(),
  jobs: [jobOf({ name: 'acme-rankings' }), jobOf({ name: 'acme-brands' })],
  entryCount: 2,
  notify: { pages: undefined, targets: [] },
  signals: { isEnabled: false, thresholds: {} },
  retention: { executionsMs: 1, publicationsMs: 1, quarantineMs: 1, driftMs: 1, callsMs: 1 },
  aliases: [],
  pages: { basePath: '' },
};
const names = (chosen: readonly string[]): string[] => chooseJobs(config, chosen).map((job) => job.name);

describe('jobs on the command line', () => {
  it('are all of them when none is named, else those named, in that order', () => {
    expect(names([])).toEqual(['acme-rankings', 'acme-brands']);
    expect(names(['acme-brands', 'acme-rankings'])).toEqual(['acme-brands', 'acme-rankings']);
  });

  it('are each taken once', () => {
    expect(names(['acme-brands', 'acme-brands'])).toEqual(['acme-brands']);
  });

  it('must be configured; else the nearest name is offered', () => {
    expect(() => names(['acme-brnads'])).toThrow('jobs.config.yaml has no job "acme-brnads"; did you mean "acme-brands"?');
    expect(() => names(['zzz'])).toThrow('jobs.config.yaml has no job "zzz"; it has acme-rankings, acme-brands');
  });

  it('are listed, the first twenty, when the name is like none of them', () => {
    const jobs = Array.from({ length: 350 }, (_, index) => jobOf({ name: `acme-${index}` }));
    expect(() => chooseJobs({ ...config, jobs }, ['zzz'])).toThrow(/it has acme-0, acme-1, .*, acme-19 and 330 more$/);
  });
});

describe('weeks on the command line', () => {
  const job = jobOf({ weekStartsOn: 'sunday' });

  it('are those that hold the dates, both ends included', () => {
    expect(chooseWeeks(job, { week: '2026-11-11' })).toEqual(['2026-11-08']);
    expect(chooseWeeks(job, { from: '2026-10-28', to: '2026-11-08' })).toEqual(['2026-10-25', '2026-11-01', '2026-11-08']);
    expect(chooseWeeks(jobOf({ weekStartsOn: 'monday' }), { week: '2026-11-08' })).toEqual(['2026-11-02']);
    expect(chooseWeeks(job, {})).toBeUndefined();
  });

  it.each([
    [{ from: '2026-11-08' }, '--from and --to must be used together'],
    [{ to: '2026-11-08' }, '--from and --to must be used together'],
    [{ from: '2026-11-08', to: '2026-11-07' }, '--to 2026-11-07 is before --from 2026-11-08'],
    [{ week: '2026-11-08', to: '2026-11-07' }, '--week and --from/--to exclude each other'],
  ])('%j are refused', (span, message) => {
    expect(() => chooseWeeks(job, span)).toThrow(message);
  });
});
