import { describe, expect, it } from 'vitest';
import { createLooks, looksOfScale, subjectOf } from '../../../src/dashboards/browser/looks.ts';

const NEUTRAL = 9;

describe('the looks of lines', () => {
  it('are the same in each chart of a page, for a brand and for its site', () => {
    const looksOf = createLooks();
    const sites = looksOf(['www.brightpeak.example', 'blog.trailreview.example', 'other']);
    const brands = looksOf(['Alpenwerk', 'Brightpeak', 'Trailreview', '(none)']);
    expect(brands.get('Brightpeak')).toEqual(sites.get('www.brightpeak.example'));
    expect(brands.get('Trailreview')).toEqual(sites.get('blog.trailreview.example'));
    expect(['other', 'www.brightpeak.example', 'blog.trailreview.example'].map((name) => sites.get(name)?.colour)).toEqual([NEUTRAL, 1, 2]);
    expect([brands.get('Alpenwerk')?.colour, brands.get('(none)')?.colour]).toEqual([3, NEUTRAL]);
  });

  it('differ within a chart, by colour as long as there are some, then by mark', () => {
    const looksOf = createLooks();
    const names = Array.from({ length: 40 }, (_, index) => `site-${index}`);
    const looks = [...looksOf(names).values()];
    expect(new Set(looks.slice(0, 10).map(({ colour }) => colour)).size).toBe(10);
    expect(looks[9]?.colour).toBe(NEUTRAL);
    expect(new Set(looks.map(({ colour, mark }) => `${colour} ${mark}`)).size).toBe(40);
    // Two sites of one brand, which have a colour in common elsewhere.
    const [one, other] = [...looksOf(['a.acme.example', 'b.acme.example']).values()];
    expect(one?.colour).not.toBe(other?.colour);
  });

  it('of one scale differ from class to class, also beside a class without a place', () => {
    const classes = ['1', '2–3', '4–10', '11–20', 'beyond 20', 'without a place', 'absent'];
    const looks = looksOfScale([...classes, 'not in the first 10']);
    expect(classes.map((name) => looks.get(name)?.colour)).toEqual([11, 12, 13, 14, 15, 10, NEUTRAL]);
    // Instead of the classes beyond it, in weeks that are tracked to place 10 only.
    expect(looks.get('not in the first 10')?.colour).toBe(NEUTRAL);
  });

  it.each([
    ['Brightpeak', 'brightpeak'],
    ['www.brightpeak.example', 'brightpeak'],
    ['shop.brightpeak.co.uk', 'brightpeak'],
    ['t.co', 't'],
    ['Dr. Oetker', 'droetker'],
    ['fernweh-supply.example', 'fernwehsupply'],
    ['Fernweh Supply', 'fernwehsupply'],
    ['2–3', '23'],
    ['+', '+'],
    ['', ''],
  ])('%s is about "%s"', (name, subject) => {
    expect(subjectOf(name)).toBe(subject);
  });
});
