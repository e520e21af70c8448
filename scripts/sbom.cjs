// The parts list of a release on standard output: every package of production, as CycloneDX. "npm sbom --omit=dev" leaves out what is also
// somebody's package of development, such as pg; so it is asked about a copy that has no others.
const { execFileSync } = require('node:child_process');
const { cpSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const folder = mkdtempSync(join(tmpdir(), 'searchmill-sbom-'));
const npm = (...words) => execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
try {
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(__dirname, '..', name), join(folder, name));
  npm('pkg', 'delete', 'devDependencies', 'optionalDependencies');
  npm('install', '--package-lock-only', '--ignore-scripts', '--offline');
  process.stdout.write(npm('sbom', '--package-lock-only', '--sbom-format=cyclonedx'));
} finally {
  rmSync(folder, { recursive: true });
}
