import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { Secret } from '../../../src/core/secret.ts';
import { EXCERPT_LENGTH, endSentence, excerpt, redact } from '../../../src/service/excerpt.ts';
import { readFailureText } from '../../../src/service/failure-text.ts';
import { parseRetryAfter } from '../../../src/service/retry-after.ts';
import { readRowCount } from '../../../src/service/row-count.ts';
import { expectLinear, HOSTILE_TEXTS } from '../../support/linear-time.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const SECRETS = [new Secret('tok&en"1'), new Secret('tok')];

describe('redact', () => {
  it.each([
    ['as it is', 'x tok&en"1 y'],
    ['in a URL', `x ${encodeURIComponent('tok&en"1')} y`],
    ['in JSON', 'x tok&en\\"1 y'],
    ['in HTML', 'x tok&amp;en&quot;1 y'],
  ])('masks a secret %s, in full even when another secret is part of it', (_form, text) => {
    expect(redact(text, SECRETS)).toBe('x [secret] y');
  });

  it('leaves text alone when a secret is empty', () => {
    expect(redact('nothing to hide', [new Secret('')])).toBe('nothing to hide');
  });
});

describe('excerpt', () => {
  it('is one line of visible text without markup, scripts or terminal escapes', () => {
    const page = '<html><script>alert("x<y")</script>\r\n<h1>502 Bad\u0000Gateway</h1>\t\u001b[31mred\u202e</html>';
    expect(excerpt(page, [])).toBe('502 Bad Gateway [31mred');
  });

  it('leaves out the same as a pattern for tags, scripts and styles', () => {
    const markup = /<(?:script|style)\b.*?<\/(?:script|style)\s*>|<[^>]*>/gis;
    const piece = fc.constantFrom('<', '>', '<script', '<STYLE>', '</script>', '</style \n>', '</script', 'a', '/', 's', ' ', '<b>');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        expect(excerpt(text, [])).toBe(text.replaceAll(markup, ' ').replaceAll(/\s+/g, ' ').trim());
      }),
      { numRuns: propertyRuns(3_000), seed: 8 },
    );
  });

  it('is cut to its length, and shows that it was', () => {
    const shown = excerpt('a'.repeat(1_000), []);
    expect(shown).toHaveLength(EXCERPT_LENGTH);
    expect(shown.endsWith('a…')).toBe(true);
    expect(excerpt('short', [])).toBe('short');
  });

  it('does not cut a character in two', () => {
    expect(excerpt('😀😀😀😀', [], 4)).toBe('😀…');
  });

  it('shows no part of a secret, wherever it stands in a text of any size', () => {
    const secret = 'S3CRETVALUE-0123456789';
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20_000 }),
        fc.constantFrom('<b>', ' ', 'x'),
        fc.integer({ min: 1, max: 3 }),
        (before, filler, times) => {
          const text = `${filler.repeat(before)}${secret.repeat(times)}${filler.repeat(50)}`;
          expect(excerpt(text, [new Secret(secret)])).not.toMatch(/S3C|TVALUE|0123/);
        },
      ),
      {
        numRuns: propertyRuns(300),
        seed: 7,
        examples: [
          [16_374, 'x', 1],
          [5_458, '<b>', 2],
        ],
      },
    );
  });
});

describe('endSentence', () => {
  it('adds a full stop where there is no mark', () => {
    expect(['Bad date', 'Bad date.', 'Why?'].map(endSentence)).toEqual(['Bad date.', 'Bad date.', 'Why?']);
  });
});

describe('texts from outside, whatever their length,', () => {
  it.each(HOSTILE_TEXTS)('are shown and read in a time that grows no faster: %s', (_what, textOf) => {
    const secrets = [new Secret('0123456789')];
    expectLinear(textOf, (text) => excerpt(text, secrets));
    expectLinear(textOf, (text) => readRowCount(text, ''));
    expectLinear(textOf, (text) => readFailureText({ error: text, errors: [{ message: text }, { other: text }] }));
    expectLinear(textOf, (text) => parseRetryAfter({ 'retry-after': text }, systemClock));
  });
});
