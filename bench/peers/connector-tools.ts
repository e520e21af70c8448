// The loaders that an engineer would take instead, each with a connector written in an afternoon (connectors/), and ours. pip installs them into folders of
// their own outside of the repository.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addDays, type IsoDate } from '../../src/core/weeks.ts';
import { keywordRankings } from '../../src/datasets/keyword-rankings.ts';
import { commandOf } from '../support/searchmill.ts';

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'searchmill', 'peers');
const CONNECTORS = fileURLToPath(new URL('./connectors', import.meta.url));
const HAS_PYTHON = 'import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info < (3, 14))';

/** What a tool loads, and from where. */
export type Task = Readonly<{
  service: string;
  token: string;
  submitsPerMinute: number;
  databaseUrl: string;
  first: IsoDate;
  weeks: number;
  /** For files of the tool. */
  folder: string;
  /** Also weeks that are loaded already. */
  reloads: boolean;
}>;

export type Tool = Readonly<{
  name: string;
  table: string;
  /** A command for a shell, and its variables. */
  prepare: (task: Task) => Readonly<{ command: string; env: NodeJS.ProcessEnv }>;
}>;

export const ACCOUNT = 12345;

export const OURS: Tool = {
  name: 'Searchmill',
  table: 'search.keyword_rankings',
  prepare: ({ service, token, submitsPerMinute, databaseUrl, first, weeks, folder, reloads }) => {
    const jobs = join(folder, 'jobs.yaml');
    const limits = { submits_per_minute: submitsPerMinute, reads_per_minute: 5_000 };
    const job = { name: 'peer', dataset: 'keyword_rankings', account_id: ACCOUNT, since: first, max_submits: 100 };
    writeFileSync(jobs, JSON.stringify({ connections: { main: { base_url: service, auth: { token }, limits } }, jobs: [job] }));
    const words = ['run', '--from', first, '--to', addDays(first, 7 * weeks - 1), '--yes', ...(reloads ? ['--reload'] : [])];
    return { command: quoted(...commandOf(words)), env: { DATABASE_URL: databaseUrl, SEARCHMILL_CONFIG: jobs, LOG_LEVEL: 'warn' } };
  },
};

type Peer = Readonly<{ name: string; packages: readonly string[]; command: (program: (name: string) => string, folder: string) => string }>;

const script = (name: string): string => quoted(join(CONNECTORS, name));
const PEERS: readonly Peer[] = [
  {
    name: 'dlt 1.31.0',
    packages: ['dlt[postgres]==1.31.0', 'requests==2.34.2'],
    command: (program) => `${program('python')} ${script('dlt_pipeline.py')}`,
  },
  {
    name: 'Singer, target-postgres 0.8.1',
    packages: ['meltanolabs-target-postgres==0.8.1', 'requests==2.34.2'],
    command: (program, folder) =>
      `${program('python')} ${script('singer_tap.py')} | ${program('target-postgres')} --config ${quoted(join(folder, 'config.json'))} >> ${quoted(join(folder, 'state.json'))}`,
  },
  {
    name: 'PyAirbyte 0.71.3',
    packages: ['airbyte==0.71.3', 'requests==2.34.2'],
    command: (program) => `${program('python')} ${script('airbyte_run.py')}`,
  },
];

/** The tools that can be installed here, and why others cannot. */
export function installPeers(log: (line: string) => void): Readonly<{ tools: readonly Tool[]; missing: readonly string[] }> {
  if (spawnSync('python3', ['-c', HAS_PYTHON], { stdio: 'ignore' }).status !== 0)
    return { tools: [], missing: ['skipped: there is no python3 of 3.10 to 3.13 with venv and pip'] };
  const tools: Tool[] = [];
  const missing: string[] = [];
  for (const peer of PEERS) {
    const folder = join(CACHE, peer.name.replaceAll(/[^\w.]+/g, '-'));
    if (install(folder, peer, log)) tools.push(toolOf(peer, folder));
    else missing.push(`${peer.name} was skipped: pip could not install it`);
  }
  return { tools, missing };
}

function install(folder: string, { name, packages }: Peer, log: (line: string) => void): boolean {
  const finished = join(folder, 'installed');
  if (existsSync(finished)) return true;
  log(`installing ${name} into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  const run = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', '--prefer-binary', ...packages];
  const isInstalled = run('python3', '-m', 'venv', folder) && run(join(folder, 'bin', 'python'), ...pip);
  if (isInstalled) writeFileSync(finished, '');
  return isInstalled;
}

function toolOf({ name, command }: Peer, installed: string): Tool {
  return {
    name,
    table: 'peer.keyword_rankings',
    prepare: ({ service, token, submitsPerMinute, databaseUrl, first, weeks, folder, reloads }) => {
      const address = databaseUrl.replace(/^postgres(ql)?:/, 'postgresql:');
      const config = { sqlalchemy_url: address.replace('postgresql:', 'postgresql+psycopg:'), default_target_schema: 'peer' };
      writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
      return {
        command: command((program) => quoted(join(installed, 'bin', program)), folder),
        env: {
          PEER_SERVICE: service,
          PEER_TOKEN: token,
          PEER_ACCOUNT: String(ACCOUNT),
          PEER_SUBMITS: String(submitsPerMinute),
          PEER_DATABASE: address,
          PEER_FIRST_WEEK: first,
          PEER_WEEKS: String(weeks),
          PEER_FOLDER: folder,
          PEER_RELOADS: reloads ? '1' : '0',
          PEER_COLUMNS: keywordRankings.columns.map(({ name: column, wire }) => `${column}:${wire}`).join(','),
          // None of them calls home.
          DO_NOT_TRACK: '1',
          AIRBYTE_OFFLINE_MODE: '1',
          RUNTIME__DLTHUB_TELEMETRY: 'false',
        },
      };
    },
  };
}

/** Words for a shell. */
const quoted = (...words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
