// The machine on which the figures were measured.
import { cpus, release, totalmem, type } from 'node:os';

export type Machine = Readonly<{ cpu: string; cores: number; memoryGiB: number; system: string; node: string; postgres: string }>;

export function describeMachine(postgres: string): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release().split('-')[0]}`,
    node: process.version,
    postgres,
  };
}

export function formatMachine({ cpu, cores, memoryGiB, system, node, postgres }: Machine): string {
  return `${cores} x ${cpu}, ${memoryGiB} GiB, ${system}, Node ${node.slice(1)}, PostgreSQL ${postgres}`;
}
