// Prints the bill of materials of a release: every production package, as CycloneDX. "npm sbom --omit=dev" also omits production packages that a
// development package depends on, such as pg; so it is run on a copy without development packages.
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
