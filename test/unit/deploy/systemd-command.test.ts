// deploy/systemd/searchmill: the environment that it gives to the program.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = readFileSync(fileURLToPath(new URL('../../../deploy/systemd/searchmill', import.meta.url)), 'utf8');

it('sets the environment as systemd does: values without quotes, names in any case, the last of several lines, and every secret by its file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-command-'));
  try {
    const lines = [
      '# A=comment',
      'DOUBLE="two words"',
      "SINGLE='$HOME'",
      'https_proxy=http://proxy:3128',
      'BROKEN NAME=1',
      'INNER=a"b"',
      'LAST=end',
    ];
    writeFileSync(join(folder, 'environment'), lines.join('\n'));
    for (const name of ['DATABASE_URL', 'SLACK_WEBHOOK', 'OTHER_TOKEN', 'jobs.config.yaml']) writeFileSync(join(folder, name), '');
    const script = SCRIPT.replaceAll('/opt/searchmill', folder)
      .replaceAll('/etc/searchmill', folder)
      .replace('/usr/bin/node dist/main.js "$@"', 'env');
    const said = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH } });
    const given = Object.fromEntries(said.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]));
    expect(given).toMatchObject({
      DOUBLE: 'two words',
      SINGLE: '$HOME',
      https_proxy: 'http://proxy:3128',
      INNER: 'a"b"',
      LAST: 'end',
      DATABASE_URL_FILE: join(folder, 'DATABASE_URL'),
      SLACK_WEBHOOK_FILE: join(folder, 'SLACK_WEBHOOK'),
      OTHER_TOKEN_FILE: join(folder, 'OTHER_TOKEN'),
    });
    expect(Object.keys(given).filter((name) => /^(environment|jobs|BROKEN)/.test(name))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
