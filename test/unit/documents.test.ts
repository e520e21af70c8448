import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const inFolder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
const PAGES = [...readdirSync(ROOT), ...inFolder('docs')].filter((path) => path.endsWith('.md'));
const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^ *```/gm, '').replaceAll(/^( +)```[\s\S]*?^\1```/gm, '');

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const headings = withoutCode(readFileSync(join(ROOT, path), 'utf8')).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

it.each(PAGES)('every link of %s leads to a file and a heading that exist', (page) => {
  const links = [...withoutCode(readFileSync(join(ROOT, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^\w+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file ? join(dirname(page), file) : page;
    return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(broken).toEqual([]);
});

it('the index of the decisions has every decision', () => {
  const index = readFileSync(join(ROOT, 'docs/decisions/README.md'), 'utf8');
  for (const file of readdirSync(join(ROOT, 'docs/decisions')).filter((name) => name !== 'README.md'))
    expect(index).toContain(`](${file})`);
});

it('the glossary of the code has each word once, in order, and the file that owns a word has it', () => {
  const [, glossary = ''] = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').split(/^## Glossary of the code$/m);
  const entries = [...(glossary.split(/^## /m)[0] ?? '').matchAll(/^(.+?) \| .+ \| \[.+\]\(\.\.\/(.+)\)$/gm)].map(
    ([, word = '', file = '']) => ({ word, file }),
  );
  const words = entries.map(({ word }) => word);
  expect(words.length).toBeGreaterThan(30);
  expect(words).toEqual([...new Set(words)].toSorted());
  const strange = entries.filter(({ word, file }) => {
    const text = readFileSync(join(ROOT, file), 'utf8').toLowerCase();
    return word.split(' ').some((part) => !text.includes(part));
  });
  expect(strange).toEqual([]);
});
