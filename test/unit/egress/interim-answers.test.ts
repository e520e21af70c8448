import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InterimFilter, InterimFloodError } from '../../../src/egress/interim-answers.ts';

const FINAL = 'HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\n{}';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const INTERIM = [CONTINUE, 'HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.0 103 Early Hints\r\nlink: </style.css>\r\nx: HTTP/1.1 200\r\n\r\n'];

/** What passes of bytes that come in pieces cut at these places. */
function pass(text: string, cuts: readonly number[] = []): string {
  const filter = new InterimFilter();
  const places = [...new Set([0, ...cuts.map((cut) => cut % text.length), text.length])].toSorted((a, b) => a - b);
  return places
    .slice(1)
    .map((end, at) => filter.pass(Buffer.from(text.slice(places[at], end), 'latin1')).toString('latin1'))
    .join('');
}

describe('interim answers', () => {
  it('are removed wherever the bytes are cut, and the final answer is passed on unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...INTERIM), { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 8 }), (interim, cuts) => {
        expect(pass(`${interim.join('')}${FINAL}`, cuts)).toBe(FINAL);
      }),
    );
  });

  it.each([
    ['a final answer', FINAL],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['an answer whose body looks like an interim one', `HTTP/1.1 200 OK\r\n\r\n${CONTINUE}`],
  ])('are not seen in %s', (_, text) => {
    expect(pass(text)).toBe(text);
  });

  it.each([
    ['many', () => pass(CONTINUE.repeat(21) + FINAL)],
    ['one without end', () => pass(`HTTP/1.1 103 Early Hints\r\n${'x: y\r\n'.repeat(3_000)}`)],
    ['some that are large', () => pass(`HTTP/1.1 103 Early Hints\r\nx: ${'y'.repeat(6_000)}\r\n\r\n`.repeat(3))],
  ])('are cut off early when they are a flood: %s', (_, flood) => {
    expect(flood).toThrow(InterimFloodError);
  });
});
