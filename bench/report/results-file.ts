// A run as it is kept: one JSON file, from which the picture and the table in the documentation are made.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mode } from '../support/bench.ts';
import type { Machine } from '../support/machine.ts';
import type { Measured } from './table.ts';

export type Run = Readonly<{ startedAt: string; seconds: number; mode: Mode; machine: Machine; measured: readonly Measured[] }>;

const FOLDER = fileURLToPath(new URL('../results/', import.meta.url));

/** Writes a run under its time, and returns where. */
export function keepRun(run: Run): string {
  const path = join(FOLDER, `${run.startedAt.replaceAll(/[:.]/g, '-')}-${run.mode}.json`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path, jsonOf(run));
  return path;
}

/** Makes a run the one that is committed. */
export function publishRun(run: Run): string {
  const path = join(FOLDER, 'latest.json');
  writeFileSync(path, jsonOf(run));
  return path;
}

function jsonOf(run: Run): string {
  return `${JSON.stringify(run, undefined, 2)}\n`;
}
