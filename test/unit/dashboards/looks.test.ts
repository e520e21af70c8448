import { describe, expect, it } from 'vitest';
import { colourOf, type Given, type Look, looksOf, looksOfScale, subjectOf } from '../../../src/dashboards/browser/looks.ts';

const NEUTRAL = 9;

describe('the looks of lines', () => {
  const others = (names: readonly string[], given: Given = new Map()) =>
    looksOf(
      names.map((name) => ({ name, isOurs: false })),
      given,
    );
  const coloursOf = (looks: ReadonlyMap<string, Look>): Readonly<Record<string, number>> =>
    Object.fromEntries([...looks].map(([name, { colour }]) => [name, colour]));

  it('have a colour by their name, for a brand and for its site', () => {
    expect(others(['Trailreview']).get('Trailreview')?.colour).toBe(colourOf('www.trailreview.example'));
    expect(Object.values(coloursOf(others(['other', '(none)'])))).toEqual([NEUTRAL, NEUTRAL]);
  });

  it('keep the colour that they once had, whatever is in later charts', () => {
    const given: Given = new Map();
    const names = Array.from({ length: 8 }, (_, index) => `site-${index}`);
    const first = coloursOf(others(names, given));
    expect(new Set(Object.values(first)).size).toBe(8);
    for (const later of [names.toReversed(), names.slice(3), [...names, 'ChatGPT', 'more'], ['more', ...names]])
      expect(coloursOf(others(later, given))).toMatchObject(
        Object.fromEntries(later.flatMap((name) => (name in first ? [[name, first[name]]] : []))),
      );
  });

  it('have the first colour for what is ours alone', () => {
    const lines = ['brightpeak.example', ...Array.from({ length: 40 }, (_, index) => `site-${index}`)];
    const looks = looksOf(
      lines.map((name, index) => ({ name, isOurs: index === 0 })),
      new Map(),
    );
    expect([...looks].filter(([, { colour }]) => colour === 1).map(([name]) => name)).toEqual(['brightpeak.example']);
    expect(new Set([...looks.values()].map(({ colour, mark }) => `${colour} ${mark}`)).size).toBe(41);
  });

  it('differ in colour for the assistants, devices and sentiments that a chart has together', () => {
    for (const names of [
      ['ChatGPT', 'Gemini', 'Perplexity', 'Google AI Overview', 'Google AI Mode', 'Copilot', 'Claude'],
      ['Google', 'Bing'],
      ['Desktop', 'Smartphone', 'Tablet'],
      ['Positive', 'Neutral', 'Negative'],
    ])
      expect(new Set(names.map(colourOf)).size).toBe(names.length);
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
