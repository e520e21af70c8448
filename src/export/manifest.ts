// manifest.json of an export: what each file is, and from where to go on. It is replaced as a whole, after the files that it names.
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigurationError, describeError } from '../core/errors.ts';
import { FORMATS } from './table-files.ts';

/** Version of the layout of an export. A reader refuses another one. */
const MANIFEST_VERSION = 1;
const MANIFEST = 'manifest.json';

const fileSchema = z.object({
  /** Relative to the manifest, with slashes. */
  path: z.string(),
  rows: z.number(),
  bytes: z.number(),
  sha256: z.string(),
});

const weekSchema = z.object({
  dataset: z.string(),
  account: z.string(),
  /** The Sunday on which it begins. */
  week: z.string(),
  /** As in searchmill.publications. */
  publication: z.number(),
  /** When it last changed, as in search_reports.changed_weeks. */
  cursor: z.number(),
  /** Null for a week that is published without rows. */
  file: fileSchema.nullable(),
});

const pointsSchema = z.object({
  account: z.string(),
  /** As search_reports.point_groupings has them. */
  measure: z.string(),
  groupedBy: z.string(),
  file: fileSchema,
});

const manifestSchema = z.object({
  version: z.literal(MANIFEST_VERSION),
  searchmill: z.string(),
  format: z.enum(FORMATS),
  /** Null for all accounts. */
  account: z.string().nullable(),
  /** Mark of the ledger to which cursors belong. */
  ledger: z.string(),
  /** All changes up to this one are in the files. The next export goes on from here. */
  cursor: z.number(),
  writtenAt: z.string(),
  /** Columns of each table in the order of its files, with the types of Postgres. */
  columns: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  /** By dataset, the promoted columns that all of its files have. A dataset is lacking if no column was promoted, or if older files do not have the column. */
  promoted: z.record(z.string(), z.string()).default({}),
  weeks: z.array(weekSchema),
  /** Charts with points; empty in manifests of before there were any. */
  points: z.array(pointsSchema).default([]),
  /** The view of changed weeks as a file; null until an export has come to its end. */
  changedWeeks: fileSchema.nullable(),
});

export type ExportedFile = Readonly<z.infer<typeof fileSchema>>;
export type ExportedWeek = Readonly<z.infer<typeof weekSchema>>;
export type ExportedPoints = Readonly<z.infer<typeof pointsSchema>>;
export type Manifest = Readonly<z.infer<typeof manifestSchema>>;

export const emptyManifest = (about: Pick<Manifest, 'searchmill' | 'format' | 'account' | 'ledger'>): Manifest => ({
  version: MANIFEST_VERSION,
  cursor: 0,
  writtenAt: '',
  columns: {},
  promoted: {},
  weeks: [],
  points: [],
  changedWeeks: null,
  ...about,
});

/** The manifest in a folder; undefined if there is none. Throws ConfigurationError for one that is not ours. */
export function readManifest(folder: string): Manifest | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigurationError(`${join(folder, MANIFEST)} cannot be read: ${describeError(error)}`, { cause: error });
  }
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigurationError(`${join(folder, MANIFEST)} is not of this version of the export; choose another folder`, { cause });
  }
}

/** Replaces the manifest. `unfinished`: a folder on the same disk. */
export async function writeManifest(folder: string, unfinished: string, manifest: Manifest): Promise<void> {
  const path = join(unfinished, MANIFEST);
  await writeFile(path, `${JSON.stringify(manifest, null, 1)}\n`, { flush: true });
  await rename(path, join(folder, MANIFEST));
}
