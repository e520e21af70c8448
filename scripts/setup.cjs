// Runs before `npm run demo`, `npm test` and their like: installs and builds what is missing, so that both work straight
// after `git clone`. This file is plain old JavaScript so that any Node can read it far enough to say that it is too old.
'use strict';

var version = process.versions.node.split('.').map(Number);
var sentence = 'Searchmill needs Node 20.19 or newer, and this is Node ' + process.versions.node;
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  console.error(sentence + ': install a newer one from https://nodejs.org');
  process.exit(1);
}

require('./setup/prepare.cjs').prepare({ isBuildWanted: process.argv.indexOf('--packages') === -1 });
