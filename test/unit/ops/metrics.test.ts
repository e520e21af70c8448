import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { shareAnswer } from '../../../src/ops/shared-answer.ts';
import type { Pool } from '../../../src/warehouse/pool.ts';

const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const alerts = readFileSync(new URL('../../../docs/alerts.yaml', import.meta.url), 'utf8');
const namesIn = (text: string): Set<string> => new Set(text.match(/\bsearchmill_[a-z_]+\b/g));

it('the metrics are those that the documentation names, and every alert asks for one of them', async () => {
  const empty = { query: async () => ({ rows: [] }) } as unknown as Pool;
  const text = await createMetrics().render(empty);
  const served = new Set([...text.matchAll(/^# TYPE (searchmill_\w+)/gm)].map((match) => match[1]));
  const [, table = '', rest = ''] = operations.split(/^### (?:Metrics|Alerts)$/m);
  expect(namesIn(table)).toEqual(served);
  const rules: { alert: string; expr: string }[] = parse(alerts).groups[0].rules;
  for (const { alert } of rules) expect(rest).toContain(`\`${alert.replace('Searchmill', '')}\``);
  for (const { alert, expr } of rules.filter(({ expr }) => !expr.startsWith('absent(up'))) {
    expect(namesIn(expr).size, alert).toBeGreaterThan(0);
    for (const name of namesIn(expr)) expect(served, alert).toContain(name);
  }
});

it('an answer is looked for once for all who ask, holds for a while, and a failure is not kept', async () => {
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
