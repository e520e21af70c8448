// npm run test:grafana: tests the dashboard files with the client packages of Grafana from npm, each version in its own folder. They are large and
// peer dependencies of each other, so they are not in package.json.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GRAFANA_VERSIONS } from '../test/grafana/versions.ts';

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/searchmill-grafana', import.meta.url));
const FLAGS = ['--legacy-peer-deps', '--ignore-scripts', '--save-exact', '--no-audit', '--no-fund'];
/** Packages that Grafana's packages need, and jsdom as their page. */
const AROUND = ['react@18.3.1', 'react-dom@18.3.1', 'react-router-dom@6.28.0', 'rxjs@7.8.2', '@emotion/css@11.13.5', 'jsdom@26.1.0'];

for (const { grafana, selectors, scenes } of GRAFANA_VERSIONS) {
  const folder = join(FOLDER, grafana);
  const finished = join(folder, `installed-${scenes}`);
  if (existsSync(finished)) continue;
  console.log(`Installing the client parts of Grafana ${grafana} (about a minute) ...`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const parts = [
    `@grafana/data@${grafana}`,
    `@grafana/schema@${grafana}`,
    `@grafana/e2e-selectors@${selectors}`,
    `@grafana/scenes@${scenes}`,
  ];
  const { status } = spawnSync('npm', ['install', ...FLAGS, ...parts, ...AROUND], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) {
    console.error(
      `The client parts of Grafana ${grafana} could not be installed; npm says why above. They come from npm alone, so try again where it can be reached.`,
    );
    process.exit(2);
  }
  writeFileSync(finished, '');
}

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'grafana', ...process.argv.slice(2)];
const tests = spawn(process.execPath, vitest, { stdio: 'inherit', env: { ...process.env, TEST_GRAFANA: FOLDER } });
const [code] = (await once(tests, 'exit')) as [number | null];
process.exitCode = code ?? 1;
