// searchmill init: writes the files to start with. Existing files are not touched.
import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../core/errors.ts';
import { asTyped } from '../core/own-command.ts';
import { packagePath } from '../core/package-folder.ts';
import type { Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

/** Names in the package and in the folder: npm leaves out files that begin with a dot. */
const FILES: Readonly<Record<string, string>> = {
  'jobs.config.yaml': 'jobs.config.yaml',
  'env.example': '.env.example',
  'compose.yaml': 'compose.yaml',
};

export function initVerb(terminal: Terminal): Verb {
  return new Verb('init')
    .description('write the files to start with: jobs.config.yaml, .env.example, compose.yaml')
    .argument('[folder]', 'where to write them; created if it does not exist', '.')
    .more('Overwrites nothing: if one of the files exists, none is written.\n\nExamples:\n  searchmill init')
    .action(async (folder: string) => {
      const there = Object.values(FILES).filter((name) => existsSync(join(folder, name)));
      if (there.length > 0) {
        throw new ConfigurationError(
          `${resolve(folder)} already has ${there.join(', ')}, so nothing was written; choose another folder, or move them away`,
        );
      }
      await mkdir(folder, { recursive: true });
      for (const [from, to] of Object.entries(FILES)) {
        // A file that was created in the meantime is not overwritten.
        await copyFile(join(packagePath('init'), from), join(folder, to), constants.COPYFILE_EXCL);
        terminal.print(`wrote ${join(folder, to)}`);
      }
      const steps = [
        ...(resolve(folder) === resolve('.') ? [] : [`cd ${folder}`]),
        'Put your account and jobs into jobs.config.yaml.',
        'cp .env.example .env && chmod 600 .env, and put your token and database into it.',
        'set -a; . ./.env; set +a',
        'docker compose up -d, if you have no Postgres.',
        asTyped('searchmill migrate && searchmill check && searchmill start'),
      ];
      terminal.print(`\nNext:\n${steps.map((step, at) => `  ${at + 1}. ${step}`).join('\n')}`);
    });
}
