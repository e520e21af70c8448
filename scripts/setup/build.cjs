// Builds dist/ from the source folders, with the same layout: TypeScript compiled, the script of the dashboards bundled, SQL and other assets copied.
// dist/main.js starts dist/src/main.js. The digest of the sources is written before dist/ gets its name, so dist/ is always complete, and it is
// always known whether it is current.
'use strict';

const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { join, relative } = require('node:path');

const SOURCES = ['src', 'sandbox', 'embedded'];
const EXECUTABLE = "#!/usr/bin/env node\nimport './src/main.js';\n";
const DIGEST_FILE = '.sources';
/** Files that the compiler does not copy and the program reads at run time. */
const ASSET = /\.(sql|lua|css|svg)$/;

/** Whether dist/ was built from the current sources. */
function isBuildCurrent(root) {
  try {
    return fs.readFileSync(join(root, 'dist', DIGEST_FILE), 'utf8') === digestSources(root);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Builds dist/. Rejects with the compiler's messages when the sources do not compile; then the old dist/ remains. */
async function build(root, lock) {
  const startedAt = Date.now();
  console.error('Building ...');
  const digest = digestSources(root);
  // Beside dist/, not in a temporary folder, so that source maps find the sources from both places.
  const unfinished = join(root, 'dist.unfinished');
  fs.rmSync(unfinished, { recursive: true, force: true });
  await Promise.all([compile(root, unfinished, lock), bundleCharts(root, join(unfinished, 'src/dashboards/assets/charts.js'))]);
  for (const path of sourceFiles(root).filter((file) => ASSET.test(file))) fs.cpSync(path, join(unfinished, relative(root, path)));
  fs.writeFileSync(join(unfinished, 'main.js'), EXECUTABLE);
  fs.writeFileSync(join(unfinished, DIGEST_FILE), digest);
  fs.rmSync(join(root, 'dist'), { recursive: true, force: true });
  fs.renameSync(unfinished, join(root, 'dist'));
  console.error(`Built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
}

function compile(root, outDir, lock) {
  const flags = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json'), '--outDir', outDir];
  const tsc = spawn(process.execPath, flags, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  if (tsc.pid !== undefined) lock.share(tsc.pid);
  let output = '';
  for (const stream of [tsc.stdout, tsc.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((done, failed) => {
    tsc.once('error', failed);
    tsc.once('close', (code) => (code === 0 ? done() : failed(new Error(`The build failed:\n${output.trim()}`))));
  });
}

/** Bundles the script of the dashboards: src/dashboards/browser/ with the parts of echarts that it uses. */
async function bundleCharts(root, outFile) {
  // Required here, because the packages may not be installed earlier.
  const esbuild = require('esbuild');
  await esbuild.build({
    entryPoints: [join(root, 'src/dashboards/browser/charts.ts')],
    outfile: outFile,
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2022'],
    logLevel: 'silent',
  });
}

function digestSources(root) {
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/setup/build.cjs'].map((file) => join(root, file));
  const digest = createHash('sha256');
  for (const path of [...settings, ...sourceFiles(root)]) {
    const content = fs.readFileSync(path);
    digest.update(`${relative(root, path)}\0${content.length}\0`).update(content);
  }
  return digest.digest('hex');
}

function sourceFiles(root) {
  return SOURCES.flatMap((folder) => fs.readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

module.exports = { isBuildCurrent, build, bundleCharts, digestSources };
