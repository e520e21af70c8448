// Easy, in short: one command without an account, a server or Docker, with two jobs instead of those of the demo's file. demo.test.ts has them all.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killPrograms, startMain } from '../../support/program.ts';
import { copyProgram } from '../../support/program-copy.ts';

let folder: string;
beforeAll(async () => {
  folder = await copyProgram();
  const path = join(folder, 'demo/jobs.config.yaml');
  const shipped = await readFile(path, 'utf8');
  const [head = ''] = shipped.split(/^jobs:$/m);
  await writeFile(
    path,
    `${head}jobs:
  - { name: answers, dataset: ai_search_response }
  # The other account whose sites the file knows.
  - { name: others, dataset: ai_search_response, account_id: 67890 }
`,
  );
});
afterAll(async () => {
  await killPrograms();
  await rm(folder, { recursive: true, force: true });
});

it('demo starts a Postgres and a service, loads 13 weeks, and serves boards and operators’ pages until it is asked to stop', async () => {
  const demo = startMain(join(folder, 'dist/main.js'), ['demo'], { env: {}, cwd: folder });
  await demo.says(/^ {2}jobs +2 of jobs\.config\.yaml, 13 weeks each$/m);
  await demo.says(/^Published 4 windows with [1-9][\d,]+ rows\.$/m);
  await demo.says(/Look around/);
  // The address first, then one query for the newest week of each job and one for all weeks before it.
  expect(demo.stdout.indexOf('boards with charts: open it now')).toBeGreaterThan(0);
  expect(demo.stdout.indexOf('boards with charts: open it now')).toBeLessThan(demo.stdout.indexOf(' submitted '));
  expect(demo.stdout.match(/^\S+ submitted /gm)).toHaveLength(4);
  const url = /(http:\S+) {2}boards with charts/.exec(demo.stdout)?.[1] ?? '';
  const pages = await Promise.all(['/', '/operations', '/readyz'].map((path) => fetch(`${url}${path}`)));
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await pages[1]?.text()).toContain('answers');
  demo.send('SIGTERM');
  expect(await demo.ended).toEqual({ code: 0, signal: null });
});
