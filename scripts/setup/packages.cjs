// Checks and installs the packages of package-lock.json in node_modules.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const { join } = require('node:path');

const STILL_AT_IT_MS = 15_000;

/**
 * Whether node_modules matches package-lock.json for this platform. npm writes node_modules/.package-lock.json last, so an interrupted installation
 * lacks it.
 */
function arePackagesCurrent(root) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const installed = packagesOf(installedLock(root));
  if (!wanted || !installed) return false;
  const isInstalled = ([path, entry]) => {
    const found = installed[path];
    if (!found) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity && isForThisPlatform(found);
  };
  const isWanted = (path) => Object.hasOwn(wanted, path);
  return (
    Object.entries(wanted).every(([path, entry]) => path === '' || isInstalled([path, entry])) && Object.keys(installed).every(isWanted)
  );
}

/** Reinstalls the packages by `npm ci`, with short progress lines. Rejects with npm's output when it fails. */
async function installPackages(root, lock) {
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  console.error('Installing packages from the npm registry (only when they changed, about a minute) ...');
  const stillAtIt = setInterval(() => console.error(`  still installing (${seconds()})`), STILL_AT_IT_MS);
  try {
    // npm ci empties node_modules first; a kill during that must not leave the marker of a finished installation.
    fs.rmSync(installedLock(root), { force: true });
    const { code, output } = await runNpm(root, lock);
    if (code !== 0) throw new Error(`npm ci failed after ${seconds()}:\n${output.trim()}`);
    console.error(`Installed ${Object.keys(packagesOf(installedLock(root)) ?? {}).length} packages in ${seconds()}.`);
  } finally {
    clearInterval(stillAtIt);
  }
}

function runNpm(root, lock) {
  // Uses the npm that runs this script, if any. The build needs development packages, whatever NODE_ENV says.
  const runningNpm = process.env.npm_execpath ?? '';
  const flags = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const [program, parameters] = runningNpm.endsWith('npm-cli.js') ? [process.execPath, [runningNpm, ...flags]] : ['npm', flags];
  const npm = spawn(program, parameters, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: program === 'npm' && process.platform === 'win32',
  });
  if (npm.pid !== undefined) lock.share(npm.pid);
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((done, failed) => {
    npm.once('error', (error) => failed(new Error(`npm could not be run: ${error.message}`)));
    npm.once('close', (code) => done({ code, output }));
  });
}

function installedLock(root) {
  return join(root, 'node_modules', '.package-lock.json');
}

function packagesOf(path) {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8')).packages;
  } catch (error) {
    // Missing, or truncated by a crash: either way it is unusable.
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isForThisPlatform({ os, cpu }) {
  return isNamed(os, process.platform) && isNamed(cpu, process.arch);
}

function isNamed(names, name) {
  return names === undefined || names.includes(name) || (names.every((one) => one.startsWith('!')) && !names.includes(`!${name}`));
}

module.exports = { arePackagesCurrent, installPackages };
