// `npm run machines -- [--seed 7] [--weeks 8] [--queue redis|postgres]`: machines simulated by network namespaces, on which loads run while cables
// are cut. Needs root, iproute2, iptables and redis-server. Ends with 1 when something does not hold.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Machine, makeNetwork, namesOf, removeNetwork, whyNoNetwork, within } from './network.ts';
import { runMachines } from './run-machines.ts';

const MACHINES: readonly Machine[] = [
  { name: 'near', delayMs: 5, loss: 0.01, clockShiftMs: 0 },
  { name: 'middle', delayMs: 20, loss: 0.01, clockShiftMs: 5_000 },
  { name: 'far', delayMs: 50, loss: 0.02, clockShiftMs: -5_000 },
];
const PREFIX = 'searchmill-';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    weeks: { type: 'string', default: '10' },
    queue: { type: 'string', default: 'redis' },
    // Given by this program to itself, inside.
    network: { type: 'string' },
    folder: { type: 'string' },
  },
});

async function runOutside(): Promise<number> {
  const why = whyNoNetwork();
  if (why) {
    console.log(`skipped: machines cannot be simulated here: ${why}`);
    return process.env.CI ? 1 : 0;
  }
  removeLeftovers();
  const network = PREFIX + process.pid;
  const names = namesOf(network, MACHINES);
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-machines-'));
  // Postgres runs as another user, who must be able to pass through.
  chmodSync(folder, 0o711);
  const given = Object.entries({ ...values, network, folder }).flatMap(([name, value]) => [`--${name}`, String(value)]);
  let isWell = false;
  try {
    makeNetwork(names, MACHINES);
    const [enter = '', ...net] = within(names.of('service'));
    const inside = spawn(enter, [...net, process.execPath, '--import', 'tsx', fileURLToPath(import.meta.url), ...given], {
      stdio: 'inherit',
    });
    // The process inside is ended with its namespace.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => inside.kill('SIGKILL'));
    const [code] = (await once(inside, 'exit')) as [number | null];
    isWell = code === 0;
    return code ?? 130;
  } finally {
    removeNetwork(names);
    if (isWell) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    else console.log(`the logs of the processes are kept: ${folder}`);
  }
}

/** Namespaces of a run that was ended by kill -9. */
function removeLeftovers(): void {
  if (!existsSync('/run/netns')) return;
  const networks = readdirSync('/run/netns').flatMap((name) => /^(searchmill-(\d+))-/.exec(name)?.slice(1, 3).join(' ') ?? []);
  for (const [network = '', pid] of [...new Set(networks)].map((found) => found.split(' ')))
    if (!existsSync(`/proc/${pid}`)) removeNetwork(namesOf(network, MACHINES));
}

async function runInside(network: string, folder: string): Promise<number> {
  const complaints = await runMachines({
    names: namesOf(network, MACHINES),
    machines: MACHINES,
    folder,
    seed: Number(values.seed),
    weeks: Number(values.weeks),
    queue: values.queue === 'postgres' ? 'postgres' : 'redis',
    tell: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  for (const complaint of complaints) console.log(complaint);
  console.log(`seed ${values.seed}: ${complaints.length} complaints`);
  return complaints.length === 0 ? 0 : 1;
}

const { network, folder } = values;
// Whatever still runs inside is ended with its namespace.
process.exit(network && folder ? await runInside(network, folder) : await runOutside());
