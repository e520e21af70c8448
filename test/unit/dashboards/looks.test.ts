import { describe, expect, it } from 'vitest';
import { colourOf, looksOf, looksOfScale, subjectOf } from '../../../src/dashboards/browser/looks.ts';

const NEUTRAL = 9;

describe('the looks of lines', () => {
  const others = (...names: readonly string[]) => looksOf(names.map((name) => ({ name, isOurs: false })));

  it('have a colour that belongs to the name, whatever else is in the chart, for a brand and for its site', () => {
    const alone = colourOf('www.trailreview.example');
    for (const names of [['Trailreview'], ['Alpenwerk', 'Trailreview'], ['a', 'b', 'c', 'Trailreview', 'd']])
      expect(others(...names).get('Trailreview')?.colour).toBe(alone);
    expect([...others('other', '(none)').values()].map(({ colour }) => colour)).toEqual([NEUTRAL, NEUTRAL]);
  });

  it('have the first colour for what is ours alone', () => {
    const looks = looksOf([
      { name: 'brightpeak.example', isOurs: true },
      ...Array.from({ length: 40 }, (_, index) => ({ name: `site-${index}`, isOurs: false })),
    ]);
    expect([...looks].filter(([, { colour }]) => colour === 1).map(([name]) => name)).toEqual(['brightpeak.example']);
    expect(new Set([...looks.values()].map(({ colour }) => colour)).size).toBe(9);
  });

  it('differ within a chart, by mark where names share a colour', () => {
    const looks = [...others(...Array.from({ length: 30 }, (_, index) => `site-${index}`)).values()];
    expect(new Set(looks.map(({ colour, mark }) => `${colour} ${mark}`)).size).toBe(30);
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
