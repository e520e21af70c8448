// Which folder may import which: those of src, and beside it the sandbox and the embedded Postgres. "npm run generate" creates the Biome rules that
// enforce this.
import { basename } from 'node:path';

/** Outside src, because they are not the product. Each has one entry file that cli may import. */
export const BESIDE_SRC: readonly string[] = ['embedded', 'sandbox'];

/** Code that serves the pages of a running process may use the whole process. */
const WHOLE_PROCESS = [
  'core',
  'datasets',
  'codec',
  'config',
  'egress',
  'service',
  'postgres',
  'ledger',
  'tables',
  'publishing',
  'reports',
  'pipeline',
  'problems',
  'queue',
  'dashboards',
  'operations',
  'mcp',
];

/** A folder may import only the folders and files listed here. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  datasets: ['core'],
  codec: ['core', 'datasets'],
  config: ['core', 'datasets'],
  egress: ['core', 'config'],
  service: ['core', 'datasets', 'codec', 'config', 'egress'],
  postgres: ['core', 'datasets', 'config'],
  ledger: ['core', 'datasets', 'codec', 'config', 'postgres'],
  tables: ['core', 'datasets', 'codec', 'postgres'],
  publishing: ['core', 'datasets', 'codec', 'postgres', 'ledger', 'tables'],
  reports: ['core', 'datasets', 'config', 'postgres', 'tables'],
  pipeline: ['core', 'datasets', 'codec', 'config', 'service', 'postgres', 'ledger', 'tables', 'publishing', 'reports'],
  problems: ['core', 'datasets', 'config', 'postgres', 'ledger', 'tables', 'publishing', 'reports', 'pipeline'],
  queue: ['core', 'datasets', 'codec', 'config', 'egress', 'service', 'postgres', 'ledger', 'tables', 'reports', 'pipeline', 'signals'],
  dashboards: ['core', 'datasets', 'codec', 'config', 'postgres', 'ledger'],
  signals: ['core', 'datasets', 'config', 'postgres', 'ledger', 'dashboards'],
  export: ['core', 'datasets', 'postgres', 'tables'],
  probe: ['core', 'datasets', 'codec', 'config', 'service'],
  operations: ['core', 'datasets', 'config', 'postgres', 'ledger', 'publishing', 'reports', 'pipeline', 'problems', 'queue', 'dashboards'],
  mcp: ['core', 'datasets', 'config', 'postgres', 'tables', 'problems', 'dashboards'],
  notify: ['core', 'config', 'egress', 'service', 'postgres', 'ledger', 'pipeline', 'problems', 'queue', 'operations', 'dashboards'],
  ops: WHOLE_PROCESS,
  embedded: ['core'],
  sandbox: ['core', 'datasets', 'service/wire.ts'],
  cli: [...WHOLE_PROCESS, 'notify', 'signals', 'ops', 'probe', 'export', 'embedded/postgres.ts', 'sandbox/sandbox.ts'],
};

/** Subfolders that are used through one entry file (door), and the package that only they import. */
export const DOORS: readonly Readonly<{ folder: string; door: string; package?: string }>[] = [
  { folder: 'queue/backend', door: 'queue/backend/backend.ts', package: 'bullmq' },
  { folder: 'tables/citus', door: 'tables/citus/citus.ts' },
];

/** Path of a folder of the table. */
export function pathOf(folder: string): string {
  return BESIDE_SRC.includes(folder.split('/')[0] ?? '') ? folder : `src/${folder}`;
}

/** A configuration that biome.json extends: one override per folder, each on one line. */
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
      // A folder behind a door may use its own files. If two overrides match, the later one counts.
      ...inside.map((own) => restrict(`src/${own.folder}/**`, [inSrc, ...DOORS.filter((door) => door !== own).flatMap(closedBy)])),
    ];
  });
  return `{\n  "overrides": [\n    ${overrides.join(',\n    ')}\n  ]\n}\n`;
}

type Pattern = Readonly<{ group: readonly string[]; message: string }>;

function closedBy({ folder, door, package: own }: (typeof DOORS)[number]): Pattern[] {
  // Files beside the folder import it without its parent's path.
  const name = basename(folder);
  const closed = { group: [`**/${name}/**`, `!**/${name}/${basename(door)}`], message: `src/${folder} is used through src/${door}` };
  return own === undefined ? [closed] : [closed, { group: [own], message: `only src/${folder} may import ${own}` }];
}

function restrict(files: string, patterns: readonly Pattern[]): string {
  const rules = { style: { noRestrictedImports: { level: 'error', options: { patterns } } } };
  return JSON.stringify({ includes: [files], linter: { rules } });
}
