// Stored runs: a JSON file each, and the picture drawn from it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillTables } from './document.ts';
import { medianRun } from './median-run.ts';
import { drawPicture } from './picture.ts';
import type { Run } from './run.ts';

const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const FOLDER = inRepository('bench/results');
const PUBLISHED = {
  run: join(FOLDER, 'latest.json'),
  peers: join(FOLDER, 'peers.json'),
  picture: inRepository('docs/bench.svg'),
  page: inRepository('docs/performance.md'),
};

/** Writes a run and its picture to files named by its start time. Returns the path of the run. */
export function keepRun(run: Run): string {
  const path = join(FOLDER, `${run.startedAt.slice(0, 19).replaceAll(':', '-')}-${run.mode}`);
  mkdirSync(FOLDER, { recursive: true });
  writeRun(`${path}.json`, run);
  writeFileSync(`${path}.svg`, drawPicture(run));
  return `${path}.json`;
}

/** Publishes stored runs in the repository, several as their medians; for runs of some figures, only their tables, and with the peers the picture. Returns the written files. */
export function publishRun(paths: readonly string[]): string[] {
  const run = medianRun(paths.map(readRun));
  const page = readFileSync(PUBLISHED.page, 'utf8');
  writeFileSync(PUBLISHED.page, fillTables(page, run));
  const hasPeers = run.measured.some(({ name }) => name === 'peers');
  if (!run.isWhole && !hasPeers) return [PUBLISHED.page];
  const file = run.isWhole ? PUBLISHED.run : PUBLISHED.peers;
  writeRun(file, run);
  writeFileSync(PUBLISHED.picture, drawPicture(readRun(PUBLISHED.run), existsSync(PUBLISHED.peers) ? readRun(PUBLISHED.peers) : undefined));
  return [PUBLISHED.page, file, PUBLISHED.picture];
}

const readRun = (path: string): Run => JSON.parse(readFileSync(path, 'utf8')) as Run;

function writeRun(path: string, run: Run): void {
  writeFileSync(path, `${JSON.stringify(run, undefined, 2)}\n`);
}
