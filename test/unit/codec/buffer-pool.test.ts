import { describe, expect, it, vi } from 'vitest';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';

const KB = 1024;

describe('a pool of buffers', () => {
  it('gives a buffer again once it was released, through any view of it', () => {
    const pool = new BufferPool();
    const first = pool.acquire(300 * KB);
    BufferPool.release(new Uint32Array(first.buffer, 8, 10));
    const second = pool.acquire(400 * KB);
    expect(second.buffer).toBe(first.buffer);
    expect(second).toHaveLength(400 * KB);
  });

  it('never gives a buffer to two users at a time, even when it is released twice', () => {
    const pool = new BufferPool();
    const first = pool.acquire(100 * KB);
    BufferPool.release(first);
    BufferPool.release(first);
    const given = [pool.acquire(100 * KB), pool.acquire(100 * KB), pool.acquire(100 * KB)];
    expect(new Set(given.map(({ buffer }) => buffer)).size).toBe(3);
  });

  it('keeps no buffer that it did not give, and none that is small or very large', () => {
    const pool = new BufferPool();
    const others = [Buffer.alloc(128 * KB), pool.acquire(10 * KB), pool.acquire(65 * KB * KB)];
    for (const other of others) BufferPool.release(other);
    const taken = [pool.acquire(128 * KB), pool.acquire(10 * KB), pool.acquire(65 * KB * KB)];
    for (const each of taken) expect(others.map(({ buffer }) => buffer)).not.toContain(each.buffer);
  });

  it('keeps no more than 64 MB', () => {
    const pool = new BufferPool();
    const given = Array.from({ length: 80 }, () => pool.acquire(1024 * KB));
    for (const each of given) BufferPool.release(each);
    const before = new Set(given.map(({ buffer }) => buffer));
    const again = Array.from({ length: 80 }, () => pool.acquire(1024 * KB));
    expect(again.filter(({ buffer }) => before.has(buffer))).toHaveLength(64);
  });

  it('keeps buffers of the size needed last rather than of others', () => {
    const pool = new BufferPool();
    for (const each of Array.from({ length: 2 }, () => pool.acquire(32 * KB * KB))) BufferPool.release(each);
    const other = pool.acquire(500 * KB);
    BufferPool.release(other);
    expect(pool.acquire(500 * KB).buffer).toBe(other.buffer);
  });

  it('drops its buffers when none has been released for a while', () => {
    vi.useFakeTimers();
    const pool = new BufferPool();
    const first = pool.acquire(300 * KB);
    BufferPool.release(first);
    vi.advanceTimersByTime(60_000);
    expect(pool.acquire(300 * KB).buffer).not.toBe(first.buffer);
    vi.useRealTimers();
  });

  it('frees memory that it does not keep at once, without waiting for V8', () => {
    const pool = new BufferPool();
    const given = [pool.acquire(32 * KB * KB), pool.acquire(32 * KB * KB), pool.acquire(100 * KB)];
    for (const each of given) BufferPool.release(each);
    expect(given.map(({ buffer }) => buffer.byteLength)).toEqual([0, 32 * KB * KB, 128 * KB]);
  });

  it('knows how much of it is in use, and grows a buffer without forgetting the smaller one', () => {
    const pool = new BufferPool();
    const first = pool.acquire(16 * KB * KB);
    first.fill(7);
    expect(pool.shareInUse).toBe(1 / 4);
    const larger = pool.enlarge(first, 17 * KB * KB);
    expect([larger.length, larger[0], larger[16 * KB * KB - 1]]).toEqual([32 * KB * KB, 7, 7]);
    expect(pool.shareInUse).toBe(1 / 2);
    BufferPool.release(larger);
    BufferPool.release(larger);
    expect(pool.shareInUse).toBe(0);
  });
});
