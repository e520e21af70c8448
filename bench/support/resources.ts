// The resource usage of a process, as Linux reports it in /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** Tick rate of /proc/<pid>/stat, which on Linux is independent of the kernel's own clock. */
const TICKS_PER_SECOND = 100;

export const MEGABYTE = 1e6;

/** Whether /proc is available. */
export function canMeasure(): boolean {
  return process.platform === 'linux';
}

type Stat = Readonly<{ name: string; parent: number; ownTicks: number; endedChildrenTicks: number }>;

/** CPU seconds used by a process; 0 when it is gone. */
export function cpuSeconds(pid: number): number {
  return (readStat(pid)?.ownTicks ?? 0) / TICKS_PER_SECOND;
}

/** CPU seconds of a server: its own, and those of its living and ended children. */
export function cpuSecondsOfServer(pid: number): number {
  const own = readStat(pid);
  if (!own) return 0;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
    .filter(({ parent }) => parent === pid);
  const ticks = children.reduce((sum, child) => sum + child.ownTicks, own.ownTicks + own.endedChildrenTicks);
  return ticks / TICKS_PER_SECOND;
}

/** Name and parent of a process; undefined when it is gone. */
export function readParent(pid: number): Readonly<{ name: string; parent: number }> | undefined {
  return readStat(pid);
}

/** Current and maximum resident bytes of a process; undefined when it is gone. */
export function readMemory(pid: number): Readonly<{ now: number; peak: number }> | undefined {
  const status = read(`/proc/${pid}/status`);
  const kilobytes = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status ?? '')?.[1]);
  const [now, peak] = [kilobytes('VmRSS'), kilobytes('VmHWM')];
  return Number.isNaN(now) || Number.isNaN(peak) ? undefined : { now: now * 1024, peak: peak * 1024 };
}

/** Number of open file descriptors of a process; NaN when it is gone. */
export function countDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

/** Ticks of all cores together since the machine was started. */
export type CpuTicks = Readonly<{ all: number; stolen: number }>;

/** Returns a function that tells which share of this machine's CPU its host has given to others since; undefined if it is not reported. */
export function openStealClock(): (() => number) | undefined {
  const start = cpuTicksOf(read('/proc/stat') ?? '');
  if (!start) return undefined;
  return () => {
    const now = cpuTicksOf(read('/proc/stat') ?? '') ?? start;
    return (now.stolen - start.stolen) / Math.max(1, now.all - start.all);
  };
}

/** Parses /proc/stat; undefined for other text. */
export function cpuTicksOf(stat: string): CpuTicks | undefined {
  const line = /^cpu +(.*)$/m.exec(stat)?.[1];
  if (line === undefined) return undefined;
  // proc(5): user, nice, system, idle, iowait, irq, softirq, steal. Time of guests is included in the first two.
  const ticks = line.split(' ').slice(0, 8).map(Number);
  return { all: ticks.reduce((sum, some) => sum + some, 0), stolen: ticks[7] ?? 0 };
}

function readStat(pid: number): Stat | undefined {
  const match = /^\d+ \((.*)\) (.*)$/s.exec(read(`/proc/${pid}/stat`) ?? '');
  if (!match) return undefined;
  // proc(5): after the name come state, ppid, and from the 12th on utime, stime, cutime, cstime.
  const fields = (match[2] ?? '').split(' ').map(Number);
  const at = (index: number): number => fields[index] ?? 0;
  return { name: match[1] ?? '', parent: at(1), ownTicks: at(11) + at(12), endedChildrenTicks: at(13) + at(14) };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
