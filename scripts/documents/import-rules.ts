// Which folder may import which: those of src, and beside src the sandbox and the embedded Postgres. "npm run generate" makes the Biome
// rules that enforce it.
import { basename } from 'node:path';

/** Beside src, since they are not the product: each has one door, the file that cli may import. */
export const BESIDE_SRC: readonly string[] = ['embedded', 'sandbox'];

/** What serves the pages of a running process: all of it. */
const WHOLE_PROCESS = [
  'core',
  'datasets',
  'codec',
  'config',
  'egress',
  'service',
  'warehouse',
  'reports',
  'pipeline',
  'problems',
  'queue',
  'dashboards',
  'operations',
  'mcp',
];

/** A folder may import the folders and files listed here, and none of the others. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  datasets: ['core'],
  codec: ['core', 'datasets'],
  config: ['core', 'datasets'],
  egress: ['core', 'config'],
  service: ['core', 'datasets', 'codec', 'config', 'egress'],
  warehouse: ['core', 'datasets', 'codec', 'config'],
  reports: ['core', 'datasets', 'config', 'warehouse'],
  pipeline: ['core', 'datasets', 'codec', 'config', 'service', 'warehouse', 'reports'],
  problems: ['core', 'datasets', 'config', 'warehouse', 'reports', 'pipeline'],
  queue: ['core', 'datasets', 'codec', 'config', 'egress', 'service', 'warehouse', 'reports', 'pipeline', 'signals'],
  dashboards: ['core', 'datasets', 'codec', 'config', 'warehouse'],
  signals: ['core', 'datasets', 'config', 'warehouse', 'dashboards'],
  probe: ['core', 'datasets', 'codec', 'config', 'service'],
  operations: ['core', 'datasets', 'config', 'warehouse', 'reports', 'pipeline', 'problems', 'queue', 'dashboards'],
  mcp: ['core', 'datasets', 'config', 'warehouse', 'problems', 'dashboards'],
  notify: ['core', 'config', 'egress', 'service', 'warehouse', 'pipeline', 'problems', 'queue', 'operations', 'dashboards'],
  ops: WHOLE_PROCESS,
  embedded: ['core'],
  sandbox: ['core', 'datasets', 'service/wire.ts'],
  cli: [...WHOLE_PROCESS, 'notify', 'signals', 'ops', 'probe', 'embedded/postgres.ts', 'sandbox/sandbox.ts'],
};

/** Folders inside those of the table that are used through one file, their door; and the package that only they import. */
export const DOORS: readonly Readonly<{ folder: string; door: string; package?: string }>[] = [
  { folder: 'queue/backend', door: 'queue/backend/backend.ts', package: 'bullmq' },
  { folder: 'warehouse/citus', door: 'warehouse/citus/citus.ts' },
];

/** Where a folder of the table lies. */
export function pathOf(folder: string): string {
  return BESIDE_SRC.includes(folder.split('/')[0] ?? '') ? folder : `src/${folder}`;
}

/** A configuration that biome.json extends: one override per folder, on one line. */
export function importRules(): string {
  const overrides = Object.entries(MAY_IMPORT).flatMap(([folder, allowed]) => {
    const refused = Object.keys(MAY_IMPORT).filter((other) => other !== folder && !allowed.includes(other));
    const files = allowed.filter((path) => path.endsWith('.ts')).map((path) => `!**/${path}`);
    const inSrc = {
      group: [...refused.map((other) => `**/${other}/**`), '**/main.ts', ...files],
      message: `${pathOf(folder)} may import ${allowed.map(pathOf).join(', ') || 'no other folder'}; see scripts/documents/import-rules.ts`,
    };
    const inside = DOORS.filter((door) => door.folder.startsWith(`${folder}/`));
    return [
      restrict(`${pathOf(folder)}/**`, [inSrc, ...DOORS.flatMap(closedBy)]),
      // A folder behind a door may use what is in it. Of two overrides the later counts.
      ...inside.map((own) => restrict(`src/${own.folder}/**`, [inSrc, ...DOORS.filter((door) => door !== own).flatMap(closedBy)])),
    ];
  });
  return `{\n  "overrides": [\n    ${overrides.join(',\n    ')}\n  ]\n}\n`;
}

type Pattern = Readonly<{ group: readonly string[]; message: string }>;

function closedBy({ folder, door, package: own }: (typeof DOORS)[number]): Pattern[] {
  // Files beside the folder name it without what it lies in.
  const name = basename(folder);
  const closed = { group: [`**/${name}/**`, `!**/${name}/${basename(door)}`], message: `src/${folder} is used through src/${door}` };
  return own === undefined ? [closed] : [closed, { group: [own], message: `only src/${folder} may import ${own}` }];
}

function restrict(files: string, patterns: readonly Pattern[]): string {
  const rules = { style: { noRestrictedImports: { level: 'error', options: { patterns } } } };
  return JSON.stringify({ includes: [files], linter: { rules } });
}
