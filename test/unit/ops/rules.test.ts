// The rules for Prometheus, run by Prometheus' own promtool.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = new URL('../../../ops/', import.meta.url);
const read = (file: string) => parse(readFileSync(new URL(file, FOLDER), 'utf8'));
const TESTS = ['rules.test.yml', 'rules-of-days.test.yml'];
const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: fileURLToPath(FOLDER), encoding: 'utf8' });
const isFound = promtool('--version').error === undefined;
const title = isFound ? '' : ' (promtool is not installed: Debian has it in the package prometheus)';

it.skipIf(!isFound && !process.env.CI)(`promtool accepts the configuration and the rules, and their tests pass${title}`, () => {
  const checked = promtool('check', 'config', 'prometheus.yml');
  expect(checked.status, checked.stderr).toBe(0);
  const tested = promtool('test', 'rules', ...TESTS);
  expect(tested.status, tested.stdout + tested.stderr).toBe(0);
});

type AlertTest = Readonly<{ alertname: string; exp_alerts: readonly unknown[] }>;

it('the tests of the rules see every alert fire', () => {
  const alerts: { alert: string }[] = read('alerts.yml').groups[0].rules;
  const tests: { alert_rule_test?: AlertTest[] }[] = TESTS.flatMap((file) => read(file).tests);
  const fired = tests.flatMap(({ alert_rule_test = [] }) => alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0));
  expect(new Set(fired.map(({ alertname }) => alertname))).toEqual(new Set(alerts.map(({ alert }) => alert)));
});
