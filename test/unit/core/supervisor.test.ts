// Steps are named for what starts and stops the processes where the reader is.
import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  findServices,
  findSupervisor,
  SUPERVISORS,
  setSupervisor,
  stepOfCredential,
  stepOfReload,
  stepOfStart,
} from '../../../src/core/supervisor.ts';

afterEach(() => setSupervisor('terminal'));

it.each([
  ['a terminal', {}, 'terminal'],
  ['a unit of systemd', { SYSTEMD_EXEC_PID: '7', INVOCATION_ID: 'a' }, 'systemd'],
  ['a terminal that is a unit of a desktop', { SYSTEMD_EXEC_PID: '6', INVOCATION_ID: 'a' }, 'terminal'],
  ['a pod', { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, 'kubernetes'],
  ['a container of Compose', { SEARCHMILL_COMMAND: 'docker compose exec scheduler node dist/main.js' }, 'compose'],
  ['a command for a unit', { SEARCHMILL_COMMAND: 'sudo searchmill', SEARCHMILL_SUPERVISOR: 'systemd' }, 'systemd'],
])('finds the supervisor of %s', (_, env, supervisor) => {
  expect(findSupervisor({ env, pid: 7 })).toBe(supervisor);
});

it('names no step of another supervisor', () => {
  const own = { systemd: /systemctl/, kubernetes: /kubectl/, compose: /docker compose/, terminal: /searchmill start|SIGHUP/ };
  for (const supervisor of SUPERVISORS) {
    setSupervisor(supervisor);
    for (const step of [stepOfStart('worker'), stepOfReload(), stepOfCredential()]) {
      expect(Object.entries(own).flatMap(([name, pattern]) => (pattern.test(step) ? [name] : []))).toEqual([supervisor]);
    }
  }
});

it('does not advise a reload for a credential that a unit keeps until its restart', () => {
  setSupervisor('systemd');
  expect(stepOfCredential()).toMatch(/^systemctl restart/);
  expect(stepOfReload()).toMatch(/^systemctl reload/);
});

it.each(['compose.yaml', 'init/compose/compose.yaml'])(
  'in containers of %s each service that a step names is one of the file that starts',
  (file) => {
    const { services } = parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'), { merge: true });
    const starting = Object.keys(services).filter((name) => services[name].command?.[0] === 'start');
    for (const name of starting) {
      const env = services[name].environment;
      setSupervisor(findSupervisor({ env, pid: 7 }), findServices(env));
      expect(stepOfReload()).toBe(`docker compose restart ${starting.join(' ')}`);
    }
    expect(starting).not.toEqual([]);
  },
);

it('names the service that commands are typed into where no others are said', () => {
  expect(findServices({ SEARCHMILL_COMMAND: 'docker compose exec mill node dist/main.js' })).toEqual(['mill']);
  expect(findServices({ SEARCHMILL_COMMAND: 'docker-compose -f x.yaml exec mill node dist/main.js' })).toEqual(['mill']);
  expect(findServices({})).toEqual([]);
});
