// `npm run build`: builds dist/ even if it is current.
'use strict';

const { resolve } = require('node:path');
const { build } = require('./setup/build.cjs');
const { withLock } = require('./setup/lock.cjs');

const ROOT = resolve(__dirname, '..');

withLock(ROOT, (lock) => build(ROOT, lock)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
