import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  canMeasure,
  cpuSeconds,
  cpuSecondsOfServer,
  cpuTicksOf,
  openStealClock,
  readMemory,
  readParent,
} from '../../../bench/support/resources.ts';

const GONE = 2 ** 22 + 1;

describe.runIf(canMeasure())('what /proc says of a process', () => {
  it('counts CPU time as Node does', () => {
    for (let work = 0; work < 2e7; work += 1) Math.sqrt(work);
    const { user, system } = process.cpuUsage();
    expect(cpuSeconds(process.pid)).toBeGreaterThan(0);
    expect(Math.abs(cpuSeconds(process.pid) - (user + system) / 1e6)).toBeLessThan(0.2);
  });

  it('reads resident bytes now and at their most', () => {
    const memory = readMemory(process.pid);
    expect(memory?.peak).toBeGreaterThanOrEqual(memory?.now ?? Number.POSITIVE_INFINITY);
    expect(Math.abs((memory?.now ?? 0) / process.memoryUsage().rss - 1)).toBeLessThan(0.2);
  });

  it('finds the parent of a program whose name has spaces and brackets in it', async () => {
    const program = spawn('/bin/sh', ['-c', 'printf "a) (b" > /proc/$$/comm; echo named; read -r _'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(program.stdout, 'data');
    expect(readParent(program.pid ?? 0)).toMatchObject({ name: 'a) (b', parent: process.pid });
    program.stdin.end();
    await once(program, 'exit');
  });

  it('adds the children of a server, those that have ended included', async () => {
    const program = spawn('/bin/sh', ['-c', '(i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done); echo done; read -r _'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(program.stdout, 'data');
    expect(cpuSecondsOfServer(program.pid ?? 0)).toBeGreaterThan(cpuSeconds(program.pid ?? 0));
    program.stdin.end();
    await once(program, 'exit');
  });

  it('has no figures for a process that is gone', () => {
    expect(readParent(GONE)).toBeUndefined();
    expect(readMemory(GONE)).toBeUndefined();
    expect(cpuSeconds(GONE)).toBe(0);
  });
});

describe('what /proc/stat says of the machine', () => {
  it('counts the ticks of all cores together, those of guests once, and those stolen by the host', () => {
    expect(cpuTicksOf('cpu  100 2 30 400 5 6 7 50 90 1\ncpu0 50 1 15 200 2 3 3 25 45 0\nintr 12\n')).toEqual({ all: 600, stolen: 50 });
    expect(cpuTicksOf('')).toBeUndefined();
  });

  it.runIf(canMeasure())('gives the stolen time as a share', () => {
    const before = cpuTicksOf(readFileSync('/proc/stat', 'utf8'));
    expect(before?.all).toBeGreaterThan(before?.stolen ?? Number.NaN);
    const stolen = openStealClock()?.();
    expect(stolen).toBeGreaterThanOrEqual(0);
    expect(stolen).toBeLessThanOrEqual(1);
  });
});
