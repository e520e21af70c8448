import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createMetrics, metricsFormFor } from '../../../src/ops/metrics.ts';
import { shareAnswer } from '../../../src/ops/shared-answer.ts';
import type { Pool } from '../../../src/postgres/pool.ts';

const fileNamed = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
/** Metrics that a text names; of a histogram without the ending of its series. */
const namesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/\bsearchmill_[a-z_]+\b/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, '')));

async function readServed(): Promise<Set<string>> {
  const empty = { query: async () => ({ rows: [] }) } as unknown as Pool;
  const text = await createMetrics('1.2.3').render(empty);
  expect(text).toContain(`searchmill_build_info{version="1.2.3",node="${process.versions.node}"} 1`);
  return new Set([...text.matchAll(/^# TYPE (searchmill_\w+)/gm)].map(([, name = '']) => name));
}

it('the same metrics are served as OpenMetrics, in its own form', async () => {
  const empty = { query: async () => ({ rows: [] }) } as unknown as Pool;
  const metrics = createMetrics('1.2.3');
  metrics.pipelineObserver.onQueueError?.();
  const [plain, open] = [await metrics.render(empty), await metrics.render(empty, 'openmetrics')];
  expect(metrics.contentTypes.openmetrics).toMatch(/^application\/openmetrics-text; ?version=1\.0\.0/);
  expect(open.endsWith('\n# EOF\n')).toBe(true);
  expect(plain).not.toContain('# EOF');
  // A counter is named without its ending, which only its samples have. There are no empty lines.
  expect(open).toMatch(/^# TYPE searchmill_queue_errors counter$/m);
  expect(open).toMatch(/^searchmill_queue_errors_total 1$/m);
  expect(open).not.toMatch(/^\n/m);
  const samples = (text: string) => new Set([...text.matchAll(/^(searchmill_\w+)[{ ]/gm)].map(([, name]) => name));
  expect(samples(open)).toEqual(samples(plain));
});

it.each([
  [undefined, 'prometheus'],
  ['*/*', 'prometheus'],
  ['text/html, */*;q=0.8', 'prometheus'],
  ['application/openmetrics-text', 'openmetrics'],
  ['application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2', 'openmetrics'],
  ['text/plain;version=0.0.4;q=0.5, application/openmetrics-text; version=1.0.0; q=0.4', 'prometheus'],
  ['application/openmetrics-text;q=0', 'prometheus'],
])('a client that accepts %s gets the form of %s', (accept, form) => {
  expect(metricsFormFor(accept)).toBe(form);
});

it('the documentation names exactly the metrics that exist, and every alert', async () => {
  const [, table = '', rest = ''] = fileNamed('docs/operations.md').split(/^### (?:Metrics|Alerts)$/m);
  expect(namesIn(table)).toEqual(await readServed());
  const rules: { alert: string }[] = parse(fileNamed('ops/alerts.yml')).groups[0].rules;
  for (const { alert } of rules) expect(rest).toContain(`\`${alert.replace('Searchmill', '')}\``);
});

it.each(['ops/alerts.yml', 'ops/recording.yml'])('every rule of %s asks for metrics that are served', async (path) => {
  const served = await readServed();
  const rules: { alert?: string; record?: string; expr: string }[] = parse(fileNamed(path)).groups[0].rules;
  for (const { alert, record, expr } of rules.filter(({ expr }) => !expr.startsWith('absent(up'))) {
    expect(namesIn(expr).size, alert ?? record).toBeGreaterThan(0);
    for (const name of namesIn(expr)) expect(served, alert ?? record).toContain(name);
  }
});

it('an answer is fetched once for all who ask and kept for a while, but a failure is not kept', async () => {
  let now = 0;
  const look = vi.fn<() => Promise<number>>();
  const ask = shareAnswer(look, 5_000, () => now);
  look.mockResolvedValueOnce(1).mockResolvedValueOnce(2).mockRejectedValueOnce(new Error('away')).mockResolvedValueOnce(4);
  expect(await Promise.all(Array.from({ length: 30 }, ask))).toEqual(Array(30).fill(1));
  now = 4_999;
  expect(await ask()).toBe(1);
  now = 5_000;
  expect(await ask()).toBe(2);
  now = 10_000;
  await expect(Promise.all([ask(), ask()])).rejects.toThrow('away');
  expect(await ask()).toBe(4);
  expect(look).toHaveBeenCalledTimes(4);
});
