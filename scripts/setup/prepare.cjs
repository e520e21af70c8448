// Prepares what is missing, in order: packages, then the build. If nothing is missing, this takes a few milliseconds and no lock.
'use strict';

const { resolve } = require('node:path');
const { isBuildCurrent, build } = require('./build.cjs');
const { withLock } = require('./lock.cjs');
const { arePackagesCurrent, installPackages } = require('./packages.cjs');

const ROOT = resolve(__dirname, '../..');

/** Installs and, if wanted, builds what is missing. On failure ends the process with code 1 and one clear message. */
async function prepare({ mayInstall, isBuildWanted }) {
  const isReady = () => arePackagesCurrent(ROOT) && (!isBuildWanted || isBuildCurrent(ROOT));
  if (isReady()) return;
  if (!mayInstall && !arePackagesCurrent(ROOT)) {
    console.error('The packages are not those of package-lock.json: run npm ci');
    process.exitCode = 1;
    return;
  }
  try {
    await withLock(ROOT, async (lock) => {
      if (!arePackagesCurrent(ROOT)) await installPackages(ROOT, lock);
      if (isBuildWanted && !isBuildCurrent(ROOT)) await build(ROOT, lock);
    });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

module.exports = { prepare };
