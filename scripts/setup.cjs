// Runs before the npm scripts. Before `npm run demo`, `npm start` and `npm test` it installs and builds what is missing, so that they work right
// after `git clone`. With --no-install it asks for `npm ci` instead; with --no-build it builds nothing.
// This file is old-style JavaScript, so that any Node can run it far enough to report that it is too old.
'use strict';

var version = process.versions.node.split('.').map(Number);
var sentence = 'Searchmill needs Node 20.19 or newer, and this is Node ' + process.versions.node;
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  console.error(sentence + ': install a newer one from https://nodejs.org');
  process.exit(1);
}

require('./setup/prepare.cjs').prepare({
  mayInstall: process.argv.indexOf('--no-install') === -1,
  isBuildWanted: process.argv.indexOf('--no-build') === -1,
});
