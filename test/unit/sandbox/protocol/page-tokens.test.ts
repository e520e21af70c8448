import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PageTokens } from '../../../../sandbox/protocol/page-tokens.ts';

const place = fc.record({
  unit: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  offset: fc.nat(),
  rowsBefore: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
});

test('a token leads to its place, and only within its own execution', () => {
  const tokens = new PageTokens();
  fc.assert(
    fc.property(place, fc.uuid(), fc.uuid(), (at, execution, other) => {
      const token = tokens.issue(execution, at);
      expect(tokens.read(execution, token)).toEqual(at);
      if (other !== execution) expect(tokens.read(other, token)).toBeUndefined();
      expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
    }),
  );
});

test('no other text is a token, nor is a token of another sandbox', () => {
  const tokens = new PageTokens();
  fc.assert(fc.property(fc.string(), (text) => tokens.read('execution', text) === undefined));
  const at = { unit: 1, offset: 2, rowsBefore: 3 };
  expect(new PageTokens().read('execution', tokens.issue('execution', at))).toBeUndefined();
});
