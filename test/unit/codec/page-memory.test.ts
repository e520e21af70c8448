import { describe, expect, it, vi } from 'vitest';
import { PageMemory } from '../../../src/codec/page-memory.ts';

const KB = 1024;

describe('page memory', () => {
  it('is used again once it was given back, by whatever view of it', () => {
    const memory = new PageMemory();
    const first = memory.take(300 * KB);
    memory.giveBack(new Uint32Array(first.buffer, 8, 10));
    const second = memory.take(400 * KB);
    expect(second.buffer).toBe(first.buffer);
    expect(second).toHaveLength(400 * KB);
  });

  it('is never lent twice at a time, even when it is given back twice', () => {
    const memory = new PageMemory();
    const first = memory.take(100 * KB);
    memory.giveBack(first);
    memory.giveBack(first);
    const lent = [memory.take(100 * KB), memory.take(100 * KB), memory.take(100 * KB)];
    expect(new Set(lent.map(({ buffer }) => buffer)).size).toBe(3);
  });

  it('takes nothing back that it did not lend, nor what is small or very large', () => {
    const memory = new PageMemory();
    const others = [Buffer.alloc(128 * KB), memory.take(10 * KB), memory.take(65 * KB * KB)];
    for (const other of others) memory.giveBack(other);
    const taken = [memory.take(128 * KB), memory.take(10 * KB), memory.take(65 * KB * KB)];
    for (const each of taken) expect(others.map(({ buffer }) => buffer)).not.toContain(each.buffer);
  });

  it('keeps no more than 64 MB', () => {
    const memory = new PageMemory();
    const lent = Array.from({ length: 80 }, () => memory.take(1024 * KB));
    for (const each of lent) memory.giveBack(each);
    const before = new Set(lent.map(({ buffer }) => buffer));
    const again = Array.from({ length: 80 }, () => memory.take(1024 * KB));
    expect(again.filter(({ buffer }) => before.has(buffer))).toHaveLength(64);
  });

  it('keeps what was wanted last, rather than other sizes', () => {
    const memory = new PageMemory();
    for (const each of Array.from({ length: 2 }, () => memory.take(32 * KB * KB))) memory.giveBack(each);
    const other = memory.take(500 * KB);
    memory.giveBack(other);
    expect(memory.take(500 * KB).buffer).toBe(other.buffer);
  });

  it('is let go when nobody has wanted it for a while', () => {
    vi.useFakeTimers();
    const memory = new PageMemory();
    const first = memory.take(300 * KB);
    memory.giveBack(first);
    vi.advanceTimersByTime(60_000);
    expect(memory.take(300 * KB).buffer).not.toBe(first.buffer);
    vi.useRealTimers();
  });
});
