// Texts of assistants: the brands that they name, and what has changed in them.
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Answers } from '../../../src/dashboards/answers.tsx';
import { readBoards } from '../../../src/dashboards/boards.ts';
import type { Column, Row } from '../../../src/dashboards/cells.ts';

const panel = readBoards()
  .flatMap(({ panels }) => panels)
  .find(({ chart }) => chart === 'text');
if (!panel) throw new Error('no panel has texts');
const columns: Column[] = ['assistant', 'answer', 'answer_before', 'our_brands', 'rival_brands'].map((name) => ({ name, kind: 'text' }));
const show = (rows: readonly Row[]): string => renderToString(h(Answers, { panel, rows: { columns, rows } }));

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

  it('show changes sentence by sentence, and in a list line by line', () => {
    const before = 'Short answer: yes. Look at the price.\n\n## Sources\n[1] https://a.example/x\n[2] https://b.example/y';
    const now =
      'Short answer: no. Look at the price.\n\n## Sources\n[1] https://a.example/x\n[2] https://c.example/z\n[3] https://d.example/w';
    const html = show([['chatgpt', now, before, null, null]]);
    const [, answer = ''] = html.split('class="answer"');
    expect([...answer.matchAll(/<(ins|del)>(.*?)<\/\1>/gs)].map(([, kind, text]) => [kind, text])).toEqual([
      ['del', 'Short answer: yes. '],
      ['ins', 'Short answer: no. '],
      ['del', '[2] https://b.example/y\n'],
      ['ins', '[2] https://c.example/z\n[3] https://d.example/w\n'],
    ]);
    expect(answer).toContain('<strong class="heading">Sources</strong>');
  });

  it('are shown without changes once the panel has spent its time for comparing', () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 300));
    const html = show(Array.from({ length: 10 }, (_, at): Row => [`a${at}`, 'One. Three.', 'One. Two.', null, null]));
    expect(html.match(/<li/g)).toHaveLength(10);
    expect(html.match(/is new;/g)).toHaveLength(1);
  });
});
