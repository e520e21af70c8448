// Texts of assistants: the brands that they name, and what has changed in them.
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Answers } from '../../../src/dashboards/answers.tsx';
import { readBoards } from '../../../src/dashboards/boards.ts';
import type { Column, Row } from '../../../src/dashboards/cells.ts';
import type { TablePlace } from '../../../src/dashboards/result-table.tsx';

const panel = readBoards()
  .flatMap(({ panels }) => panels)
  .find(({ chart }) => chart === 'text');
if (!panel) throw new Error('no panel has texts');
const columns: Column[] = ['assistant', 'answer', 'answer_before', 'our_brands', 'rival_brands', 'cited', 'cited_before'].map((name) => ({
  name,
  kind: 'text',
}));
const place: TablePlace = {
  here: '/boards/prompt',
  chosenFor: () => new URLSearchParams('account=1'),
  order: { sort: undefined, find: '' },
  alone: '/boards/prompt/answers?account=1',
  isAlone: false,
};
const show = (rows: readonly Row[], more: Partial<TablePlace> = {}): string =>
  renderToString(h(Answers, { panel, rows: { columns, rows }, place: { ...place, ...more } }));
/** What is marked as removed and added. */
const changesIn = (html: string): string[] =>
  [...html.replace(/^.*?<ul/s, '').matchAll(/<(?:ins|del)>.*?<\/(?:ins|del)>/gs)].map(([text]) => text);

afterEach(() => vi.restoreAllMocks());

describe('the answers', () => {
  it.each(['Coca-Cola', 'AT&T', 'C++', '[a|b]', 'a/b', 'x\\y', '(^.^)'])('mark a brand called %s', (brand) => {
    const html = show([['chatgpt', `People drink ${brand}, and more.`, null, brand, 'Rival']]);
    expect(html).toContain(`<mark class="ours">${brand.replace('&', '&amp;')}</mark>, and more.`);
  });

  it('mark no brand within an address', () => {
    const html = show([['chatgpt', 'Buy a Rival.\n[1] https://www.acme.example/acme (www.acme.example)', null, 'Acme', 'Rival']]);
    expect(html.match(/<mark[^>]*>[^<]*/g)).toEqual(['<mark>Rival']);
    expect(html).not.toContain('★');
  });

  it('show changes word by word within a sentence, and others by whole lines, each week in a column of its own', () => {
    const before = 'Short answer: yes. Look at the price.\n\n## Sources\n[1] https://a.example/x\nNothing of this is left at all.';
    const now =
      'Short answer: no. Look at the price.\n\n## Sources\n[1] https://a.example/x\n[2] https://c.example/z\n[3] https://d.example/w';
    const html = show([['chatgpt', now, before, null, null]], { isAlone: true });
    expect(changesIn(html)).toEqual([
      '<del>yes</del>',
      '<del>Nothing of this is left at all.\n</del>',
      '<ins>no</ins>',
      '<ins>[2] https://c.example/z\n[3] https://d.example/w\n</ins>',
    ]);
    expect(html.match(/<strong class="heading">Sources/g)).toHaveLength(2);
    expect(html.match(/<section class="version">/g)).toHaveLength(2);
  });

  it('leave out what is the same in both weeks, but for a sentence beside each change, and have all of it on the page of the panel', () => {
    const same = Array.from({ length: 9 }, (_, at) => `The same ${at}. `).join('');
    const row: Row = ['chatgpt', `New one. ${same}Last new.`, `Old one. ${same}Last old.`, null, null];
    const html = show([row]);
    expect(html.match(/7 sentences as in the other week/g)).toHaveLength(2);
    expect(html).toContain('Both answers in full');
    expect([html.includes('The same 0.'), html.includes('The same 4.'), html.includes('The same 8.')]).toEqual([true, false, true]);
    expect(show([row], { isAlone: true }).match(/The same 4\./g)).toHaveLength(2);
  });

  it('cut a long text, with the whole behind a link, and never within a letter', () => {
    const html = show([['chatgpt', `x${'🙂'.repeat(2_000)}`, null, null, null]]);
    expect(html).toContain('href="/boards/prompt/answers?account=1#answers-1"');
    expect(html).toMatch(/🙂…<\/span>/u);
    expect(html.length).toBeLessThan(5_000);
    expect(show([['chatgpt', 'x'.repeat(9_000), null, null, null]], { isAlone: true })).not.toContain('All of the answer');
  });

  it('tell which brands are named newly and no more', () => {
    const html = show([['chatgpt', 'Rival and Third.', 'Acme and Rival.', 'Acme', 'Rival\nThird']]);
    expect([...html.matchAll(/class="(brand[^"]*)"/g)].map(([, look]) => look)).toEqual(['brand', 'brand new', 'brand ours lost']);
    expect(html).toContain(', no more named');
  });

  it('have the pages that they cite newly and no more beside them, and say where those of a week are not known', () => {
    const html = show([['chatgpt', 'One.', 'Two.', null, null, 'a.example/x\nb.example/y', 'a.example/x\nc.example/z']]);
    expect(html).toMatch(/aria-label="Gained".*?b\.example.*?<\/ul>.*?aria-label="Lost".*?c\.example.*?1 in both weeks/s);
    expect(html).toContain('/boards/page?account=1&amp;page=b.example%2Fy');
    const unknown = show([['chatgpt', 'One.', 'Two.', null, null, 'a.example/x', null]]);
    expect(unknown).not.toContain('Gained');
    expect(unknown).toContain('Those of the other week are not known.');
  });

  it('stay text, whatever they contain', () => {
    const evil = '<script>alert(1)</script> **<img src=x onerror=alert(2)>** [a](javascript:alert(3)) \u202Eevil';
    const html = show([['chatgpt', `${evil} now`, `${evil} before`, '<b>Acme</b>', null, '"><script>x</script>', '']]);
    expect(html).not.toMatch(/<script|<img|<b>|href="javascript/);
    expect(html).toContain('&lt;script>');
  });

  it('are shown without changes once the panel has spent its time for comparing', () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 200));
    const html = show(Array.from({ length: 10 }, (_, at): Row => [`a${at}`, 'One. Three.', 'One. Two.', null, null]));
    expect(html.match(/<li id/g)).toHaveLength(10);
    expect(changesIn(html)).toHaveLength(2);
  });
});
