import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GENERATED_FILES } from '../../../scripts/documents/generated-files.ts';
import { environmentSchema } from '../../../src/config/environment.ts';
import { factsOf } from '../../../src/config/fields.ts';
import { jobSchema } from '../../../src/config/schema.ts';
import { DATASETS } from '../../../src/datasets/index.ts';

function contentOf(path: string): string {
  return GENERATED_FILES.find((file) => file.path === path)?.content() ?? '';
}

describe.each(GENERATED_FILES)('$path', ({ path, content }) => {
  it('is up to date; otherwise "npm run generate" makes it so', () => {
    const committed = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    // Compared line by line, so that a failure shows the line and not the whole file.
    expect(committed.split('\n'), path).toEqual(content().split('\n'));
  });
});

it('the reference of the configuration has every field, variable and filter', () => {
  const page = contentOf('docs/configuration.md');
  const filters = DATASETS.flatMap((dataset) => dataset.filters.map((filter) => filter.name));
  for (const name of [...Object.keys(environmentSchema.shape), ...Object.keys(jobSchema.shape), ...filters])
    expect(page).toMatch(new RegExp(`^(\`${name}\` \\| |- \`${name}\`[ :])`, 'm'));
});

it('the reference of the configuration names the variables that may come from files', () => {
  const secrets = Object.entries(environmentSchema.shape).filter(([, field]) => factsOf(field).isSecret);
  expect(secrets.map(([name]) => name)).toContain('OPS_PASSWORD');
  const list = secrets.map(([name]) => `\`${name}\``).join(', ');
  expect(contentOf('docs/configuration.md')).toContain(`For a variable that holds a secret (${list}, and those that`);
});

it('the reference of the tables has every dataset with its columns, and the columns that Searchmill adds', () => {
  const page = contentOf('docs/tables.md');
  for (const { name, columns } of DATASETS) {
    const [, section = ''] = page.split(`\n## ${name}\n`);
    const [, listed = ''] = section.split('\n\n## ')[0]?.split('\n\n') ?? [];
    const identity = (text: string): string => `**\`${text}\`**`;
    expect(listed.trim().split(', ')).toEqual(columns.map(({ name, isIdentity }) => (isIdentity ? identity(name) : `\`${name}\``)));
    for (const column of columns) expect(page).toMatch(new RegExp(`^- \`${column.name}\` ${column.pg}\\b.*: .`, 'm'));
  }
  for (const name of ['_key', '_occurrence', '_slice', '_loaded_at', '_changed_at', '_extra']) expect(page).toContain(`\n\`${name}\` | `);
});
