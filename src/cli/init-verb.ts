// searchmill init: what a folder needs to begin with. Nothing that is there is touched.
import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../core/errors.ts';
import { asTyped } from '../core/own-command.ts';
import { packagePath } from '../core/package-folder.ts';
import type { Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

/** As they are called in the package, and in the folder: npm leaves out files that begin with a dot. */
const FILES: Readonly<Record<string, string>> = {
  'jobs.config.yaml': 'jobs.config.yaml',
  'env.example': '.env.example',
  'compose.yaml': 'compose.yaml',
};

export function initVerb(terminal: Terminal): Verb {
  return new Verb('init')
    .description('write what a folder needs to begin with: jobs.config.yaml, .env.example, compose.yaml')
    .argument('[folder]', 'where to; made where it is missing', '.')
    .more('Overwrites nothing: where one of the files is there, none is written.\n\nExamples:\n  searchmill init')
    .action(async (folder: string) => {
      const there = Object.values(FILES).filter((name) => existsSync(join(folder, name)));
      if (there.length > 0) {
        throw new ConfigurationError(
          `${resolve(folder)} has ${there.join(', ')} already, so nothing was written; choose another folder, or move it away`,
        );
      }
      await mkdir(folder, { recursive: true });
      for (const [from, to] of Object.entries(FILES)) {
        // A file that was made meanwhile stays as it is.
        await copyFile(join(packagePath('init'), from), join(folder, to), constants.COPYFILE_EXCL);
        terminal.print(`wrote ${join(folder, to)}`);
      }
      const steps = [
        ...(resolve(folder) === resolve('.') ? [] : [`cd ${folder}`]),
        'Write your account and jobs into jobs.config.yaml.',
        'cp .env.example .env && chmod 600 .env, and write your token and database into it.',
        'set -a; . ./.env; set +a',
        'docker compose up -d, if you have no Postgres.',
        asTyped('searchmill migrate && searchmill check && searchmill start'),
      ];
      terminal.print(`\nNext:\n${steps.map((step, at) => `  ${at + 1}. ${step}`).join('\n')}`);
    });
}
