// Machines simulated by network namespaces of this one: each with an address of its own, and joined by a bridge in a namespace of its own. Between
// each machine and each server is a cable (relay.ts) with its delay; packets are lost by chance, or all of a cable, by iptables.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findProgram } from '../support/find-program.ts';

export const SERVERS = ['postgres', 'redis', 'service'] as const;
export type ServerName = (typeof SERVERS)[number];
export const PORTS: Readonly<Record<ServerName, number>> = { postgres: 5432, redis: 6379, service: 4010 };

export type Machine = Readonly<{
  name: string;
  /** One way, to each server. */
  delayMs: number;
  /** Share of the packets that are lost wherever they arrive. */
  loss: number;
  /** How far its wall clock is ahead. */
  clockShiftMs: number;
}>;

const NETWORK = '10.77';

export const addressOfServer = (server: ServerName): string => `${NETWORK}.0.${2 + SERVERS.indexOf(server)}`;
const addressOfMachine = (index: number): string => `${NETWORK}.1.${1 + index}`;
export const addressOfCable = (index: number, server: ServerName): string => `${NETWORK}.${100 + index}.${2 + SERVERS.indexOf(server)}`;

/** Why machines cannot be simulated here, or undefined. */
export function whyNoNetwork(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces are Linux only';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const missing = ['ip', 'iptables', 'nsenter', 'redis-server'].filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) return `${missing.join(', ')} not here; install Debian's iproute2, iptables, util-linux and redis-server`;
  return undefined;
}

/** The words that run a program in a namespace. */
export const within = (namespace: string): string[] => ['nsenter', `--net=/run/netns/${namespace}`];

function run(...words: readonly string[]): void {
  const [program = '', ...rest] = words;
  execFileSync(findProgram(program) ?? program, rest, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
}

/** Names of the namespaces of one network. */
export type Names = Readonly<{ all: readonly string[]; cables: string; of: (name: string) => string }>;

export function namesOf(network: string, machines: readonly Machine[]): Names {
  const of = (name: string): string => `${network}-${name}`;
  return { of, cables: of('cables'), all: ['cables', ...SERVERS, ...machines.map(({ name }) => name)].map(of) };
}

/** Makes the namespaces, their addresses and their losses. Nothing in the machine's own network is touched. */
export function makeNetwork(names: Names, machines: readonly Machine[]): void {
  for (const name of names.all) {
    run('ip', 'netns', 'add', name);
    run('ip', '-n', name, 'link', 'set', 'lo', 'up');
  }
  const { cables } = names;
  run('ip', '-n', cables, 'link', 'add', 'bridge', 'type', 'bridge');
  run('ip', '-n', cables, 'link', 'set', 'bridge', 'up');
  const join = (name: string, address: string): void => {
    const port = `to-${name}`;
    run('ip', '-n', cables, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', names.of(name));
    run('ip', '-n', cables, 'link', 'set', port, 'master', 'bridge', 'up');
    run('ip', '-n', names.of(name), 'address', 'add', `${address}/16`, 'dev', 'eth0');
    run('ip', '-n', names.of(name), 'link', 'set', 'eth0', 'up');
  };
  for (const server of SERVERS) join(server, addressOfServer(server));
  for (const [index, { name, loss }] of machines.entries()) {
    join(name, addressOfMachine(index));
    lose(names.of(name), loss, []);
    for (const server of SERVERS) {
      const cable = addressOfCable(index, server);
      run('ip', '-n', cables, 'address', 'add', `${cable}/16`, 'dev', 'bridge');
      // A machine knows the server's address only; its packets go by its cable.
      const there = ['-d', addressOfServer(server), '-j', 'DNAT', '--to-destination', cable];
      run(...within(names.of(name)), 'iptables', '-w', '-t', 'nat', '-A', 'OUTPUT', ...there);
      lose(cables, loss, ['-d', cable]);
      lose(names.of(server), loss, ['-s', cable]);
    }
  }
}

function lose(namespace: string, share: number, which: readonly string[]): void {
  const chance = ['-m', 'statistic', '--mode', 'random', '--probability', String(share), '-j', 'DROP'];
  if (share > 0) run(...within(namespace), 'iptables', '-w', '-A', 'INPUT', ...which, ...chance);
}

/** Drops every packet of a machine's cable to a server, silently and on all sides; or lets them through again. */
export function partition(names: Names, cut: Readonly<{ index: number; machine: Machine; server: ServerName }>, isCut: boolean): void {
  const cable = addressOfCable(cut.index, cut.server);
  const rules = [
    [names.of(cut.machine.name), '-s', addressOfServer(cut.server)],
    [names.cables, '-d', cable],
    [names.of(cut.server), '-s', cable],
  ];
  for (const [namespace = '', ...which] of rules)
    run(...within(namespace), 'iptables', '-w', ...(isCut ? ['-I', 'INPUT', '1'] : ['-D', 'INPUT']), ...which, '-j', 'DROP');
}

/** Ends what runs in the namespaces, and removes them. Safe to repeat. */
export function removeNetwork(names: Names): void {
  for (const name of names.all) {
    if (!existsSync(`/run/netns/${name}`)) continue;
    const { stdout } = spawnSync(findProgram('ip') ?? 'ip', ['netns', 'pids', name], { encoding: 'utf8' });
    for (const pid of stdout.split('\n').map(Number).filter(Boolean)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended meanwhile.
      }
    }
    run('ip', 'netns', 'delete', name);
  }
}
