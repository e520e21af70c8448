import { describe, expect, it } from 'vitest';
import { LiveLines } from '../../../src/cli/live-lines.ts';
import { ESCAPE, Screen } from '../../support/screen.ts';

function openLines() {
  const screen = new Screen();
  const writes: string[] = [];
  const lines = new LiveLines({
    write(text) {
      writes.push(text);
      screen.write(text);
    },
  });
  return { screen, writes, lines };
}

describe('live lines', () => {
  it('are drawn over in place', () => {
    const { screen, lines } = openLines();
    screen.write('before\n');
    lines.draw(['one', 'two', 'three']);
    lines.draw(['one is longer now', 'two', '3']);
    expect(screen.text).toBe('before\none is longer now\ntwo\n3');
  });

  it('leave nothing behind when they become fewer or shorter', () => {
    const { screen, lines } = openLines();
    lines.draw(['a long first line', 'second', 'third']);
    lines.draw(['short']);
    expect(screen.text).toBe('short');
  });

  it('grow downwards when they become more', () => {
    const { screen, lines } = openLines();
    lines.draw(['one']);
    lines.draw(['one', 'two', 'three']);
    lines.draw(['1', '2', '3']);
    expect(screen.text).toBe('1\n2\n3');
  });

  it('stay on the screen when the display ends, with the cursor below them', () => {
    const { screen, lines } = openLines();
    lines.draw(['one', 'two']);
    expect(screen.isCursorHidden).toBe(true);
    lines.finish();
    screen.write('after\n');
    expect(screen.isCursorHidden).toBe(false);
    expect(screen.text).toBe('one\ntwo\nafter');
  });

  it('are written as one piece, and not at all when nothing has changed', () => {
    const { writes, lines } = openLines();
    lines.draw(['one', 'two']);
    lines.draw(['one', 'two']);
    lines.draw(['one', '2']);
    expect(writes).toHaveLength(2);
  });

  it('are never erased before they are written again', () => {
    const { writes, lines } = openLines();
    lines.draw(['one', 'two']);
    lines.draw(['1', '2']);
    // Each line is written first and cleared behind its end.
    const [first = '', second = ''] = writes[1]?.split('\n') ?? [];
    expect(first.endsWith(`1${ESCAPE}[K`)).toBe(true);
    expect(second).toBe(`2${ESCAPE}[K`);
    expect(first.match(/K/g)).toHaveLength(1);
  });

  it('leave the terminal alone when nothing was ever drawn', () => {
    const { writes, lines } = openLines();
    lines.finish();
    expect(writes).toEqual([]);
  });
});
