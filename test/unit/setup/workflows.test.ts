// The workflows as GitHub's own parser reads them, and the parts list that a release publishes.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WORKFLOWS = '.github/workflows';
const folder = mkdtempSync(join(tmpdir(), 'searchmill-workflows-'));
afterAll(() => rmSync(folder, { recursive: true }));
// Bundled first: it imports JSON as Node does not.
const outfile = join(folder, 'parser.mjs');
const parser = { contents: `export * from '@actions/workflow-parser'`, resolveDir: ROOT };
await build({ stdin: parser, bundle: true, platform: 'node', format: 'esm', outfile });
const { NoOperationTraceWriter, parseWorkflow } = (await import(/* @vite-ignore */ outfile)) as typeof import('@actions/workflow-parser');
const mistakesOf = (content: string): string[] =>
  parseWorkflow({ name: 'a.yml', content }, new NoOperationTraceWriter()).context.errors.getErrors().map(String);

type Step = Readonly<{ uses?: string; with?: Readonly<Record<string, unknown>>; run?: string }>;

/** What jobs may do beyond reading the repository. */
const NEEDED: Readonly<Record<string, object>> = {
  image: { contents: 'read', packages: 'write' },
  package: { contents: 'read', 'id-token': 'write' },
  release: { contents: 'write' },
};

it.each(readdirSync(`${ROOT}${WORKFLOWS}`))(
  'the workflow %s has only keys and expressions that GitHub knows, actions by digest, and no more rights than it needs',
  (name) => {
    const content = readFileSync(`${ROOT}${WORKFLOWS}/${name}`, 'utf8');
    expect(mistakesOf(content)).toEqual([]);
    expect(mistakesOf(content.replace('runs-on:', 'runs_on:'))).not.toEqual([]);
    expect(mistakesOf(content.replace('${{ github.', '${{ githup.'))).not.toEqual([]);
    for (const [, action] of content.matchAll(/uses: (.+)/g))
      expect(action).toMatch(/^(\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/);
    const { permissions, jobs } = parse(content) as { permissions: object; jobs: Record<string, { permissions?: object; steps?: Step[] }> };
    expect(permissions).toEqual({ contents: 'read' });
    for (const [job, { permissions: more = {}, steps = [] }] of Object.entries(jobs)) {
      expect(NEEDED[job] ?? {}, job).toEqual(more);
      for (const { uses = '', with: given = {}, run = '' } of steps) {
        if (uses.startsWith('actions/checkout')) expect(given['persist-credentials'], 'a token is left in the folder').toBe(false);
        expect(run, 'an expression in a script is code of the person who names the tag').not.toContain('github.');
      }
    }
  },
);

it('the parts list of a release has the packages of production and no others', () => {
  const written = execFileSync(process.execPath, ['scripts/sbom.cjs'], { cwd: ROOT, encoding: 'utf8' });
  const { bomFormat, components } = JSON.parse(written) as { bomFormat: string; components: { name: string; version: string }[] };
  expect(bomFormat).toBe('CycloneDX');
  const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as {
    packages: Record<string, Record<string, unknown>>;
  };
  const named = (hasFlag: (found: Record<string, unknown>) => boolean) =>
    Object.entries(packages).flatMap(([path, found]) =>
      path && hasFlag(found) ? [`${path.replace(/^.*node_modules\//, '')}@${found.version}`] : [],
    );
  const listed = components.map(({ name, version }) => `${name}@${version}`);
  const shipped = named(({ dev, optional, devOptional }) => !dev && !optional && !devOptional);
  expect(shipped.filter((name) => !listed.includes(name))).toEqual([]);
  const onlyForDevelopment = named(({ dev }) => dev === true).filter((name) => !shipped.includes(name));
  expect(onlyForDevelopment.filter((name) => listed.includes(name))).toEqual([]);
});
