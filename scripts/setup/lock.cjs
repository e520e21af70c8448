// One set-up at a time per clone. The lock file lists the processes that work under it, including an npm that a killed set-up left behind, which
// writes to node_modules until it is done.
'use strict';

const fs = require('node:fs');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');

const RETRY_MS = 200;
const TAKEOVER_MS = 10_000;

/**
 * Runs `work` under the lock of the clone at `root`, waiting for its holder. `work` gets an object whose `share(pid)` extends the lock until that
 * process has ended, too.
 */
async function withLock(root, work) {
  fs.mkdirSync(join(root, '.searchmill'), { recursive: true });
  const path = join(root, '.searchmill', 'setup.lock');
  for (let hasSaidSo = false; !tryCreate(path); await delay(RETRY_MS)) {
    if (removeIfStale(path)) continue;
    if (!hasSaidSo) console.error('Waiting for another set-up of this folder ...');
    hasSaidSo = true;
  }
  try {
    return await work({ share: (pid) => fs.appendFileSync(path, `${pid}\n`) });
  } finally {
    fs.rmSync(path, { force: true });
  }
}

function tryCreate(path) {
  try {
    fs.writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a lock without a living process. Only one process at a time does so; otherwise a second could remove a new lock. */
function removeIfStale(path) {
  if (!isStale(path)) return false;
  const takeover = `${path}.takeover`;
  if (!tryCreate(takeover)) {
    if (ageMs(takeover) > TAKEOVER_MS) fs.rmSync(takeover, { force: true });
    return false;
  }
  try {
    if (isStale(path)) fs.rmSync(path, { force: true });
  } finally {
    fs.rmSync(takeover, { force: true });
  }
  return true;
}

function isStale(path) {
  try {
    const pids = fs.readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number);
    // The owner of an empty file is about to write its process id, unless the file is old.
    return pids.length === 0 ? ageMs(path) > TAKEOVER_MS : !pids.some(isAlive);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function ageMs(path) {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  return found ? Date.now() - found.mtimeMs : 0;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

module.exports = { withLock };
