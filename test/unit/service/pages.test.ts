import { describe, expect, it } from 'vitest';
import { parsedRows } from '../../../src/codec/page-rows.ts';
import { CancelledError, ExecutionFailedError, ProtocolError, ServiceUnavailableError } from '../../../src/core/errors.ts';
import type { Page, PollAnswer } from '../../../src/service/answers.ts';
import { type PageSource, readPages } from '../../../src/service/pages.ts';
import { rowAt, WANTED } from '../../support/page-rows.ts';

function page(name: string, nextPageId: string | null): Page {
  return { rows: parsedRows([[name]]), schema: [], nextPageId, totalRowCount: null, requestId: null, bytes: 1, waitMs: 0, networkMs: 0 };
}

/** Pages by token, '' for the first; an error in place of a page is thrown. `steps` tells what happened, in order. */
function sourceOf(pages: Record<string, Page | Error>, steps: string[] = []) {
  let inFlight = 0;
  const fetch = async (token: string, signal: AbortSignal | undefined): Promise<Page> => {
    expect(++inFlight).toBe(1);
    steps.push(`ask ${token}`);
    await new Promise<void>((resolve) => {
      // Longer than the one turn of the event loop that readers leave to a request.
      setTimeout(resolve, 2);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
    // A request that is cancelled takes a while to end.
    if (signal?.aborted) await tick();
    inFlight--;
    steps.push(signal?.aborted ? `stop ${token}` : `got ${token}`);
    const found = pages[token];
    if (found instanceof Error) throw found;
    if (!found) throw new Error(`no page ${token}`);
    return found;
  };
  const source: PageSource = {
    poll: async (_dataset, _executionId, call): Promise<PollAnswer> => ({ state: 'completed', page: await fetch('', call.signal) }),
    paginate: (_dataset, { executionId, nextPageId: token, pageSize }, call) => {
      expect([executionId, pageSize, call.priority]).toEqual(['e1', 500, 3]);
      return fetch(token, call.signal);
    },
  };
  return { source, steps };
}

async function namesOf(pages: AsyncIterable<Page>): Promise<unknown[]> {
  const names: unknown[] = [];
  for await (const { rows } of pages) names.push((rowAt(rows, 0) as unknown[])[0]);
  return names;
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

const THREE = { '': page('one', 'b'), b: page('two', 'c'), c: page('three', null) };

describe('readPages', () => {
  it('yields every page once, in order, from the poll body on', async () => {
    expect(await namesOf(readPages(sourceOf(THREE).source, WANTED))).toEqual(['one', 'two', 'three']);
  });

  it('starts at a given cursor', async () => {
    const { source, steps } = sourceOf(THREE);
    expect(await namesOf(readPages(source, { ...WANTED, cursor: 'b' }))).toEqual(['two', 'three']);
    expect(steps).not.toContain('ask ');
  });

  it('asks for nothing more once the consumer has enough, but reads the page whose call has its permit', async () => {
    const { source, steps } = sourceOf(THREE);
    const permitting: PageSource = {
      ...source,
      paginate: async (dataset, wanted, call) => {
        await call.onPermit?.();
        return source.paginate(dataset, wanted, call);
      },
    };
    const names: unknown[] = [];
    for await (const { rows } of readPages(permitting, { ...WANTED, isEnough: () => names.length > 0 })) {
      names.push((rowAt(rows, 0) as unknown[])[0]);
      await tick();
    }
    expect(names).toEqual(['one', 'two']);
    expect(steps).toEqual(['ask ', 'got ', 'ask b', 'got b']);
  });

  it('takes back a call that still waits for its permit once the consumer has enough', async () => {
    const { source, steps } = sourceOf(THREE);
    let isEnough = false;
    const names: unknown[] = [];
    for await (const { rows } of readPages(source, { ...WANTED, isEnough: () => isEnough })) {
      names.push((rowAt(rows, 0) as unknown[])[0]);
      isEnough = true;
    }
    expect(names).toEqual(['one']);
    expect(steps).toEqual(['ask ', 'got ', 'ask b', 'stop b']);
  });

  it('does not read the first page again when it has it already', async () => {
    const { source, steps } = sourceOf(THREE);
    expect(await namesOf(readPages(source, { ...WANTED, firstPage: THREE[''] }))).toEqual(['one', 'two', 'three']);
    expect(steps).not.toContain('ask ');
  });

  it('goes on over an empty page that names a next one', async () => {
    const pages = { '': { ...page('', 'b'), rows: parsedRows([]) }, b: page('two', null) };
    const got: number[] = [];
    for await (const { rows } of readPages(sourceOf(pages).source, WANTED)) got.push(rows.length);
    expect(got).toEqual([0, 1]);
  });

  it('fetches the next page while the consumer works on the current one, and never a second one', async () => {
    const { source, steps } = sourceOf(THREE);
    const reader = readPages(source, WANTED);
    await reader.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(steps).toEqual(['ask ', 'got ', 'ask b', 'got b']);
    await reader.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(steps).toEqual(['ask ', 'got ', 'ask b', 'got b', 'ask c', 'got c']);
    await reader.return();
  });

  it('throws the error of a look-ahead only when its page is asked for', async () => {
    const failure = new ServiceUnavailableError('down', { isOutcomeUnknown: true });
    const reader = readPages(sourceOf({ '': page('one', 'b'), b: failure }).source, WANTED);
    expect((await reader.next()).value).toMatchObject({ rows: parsedRows([['one']]) });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(reader.next()).rejects.toBe(failure);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it('cancels the look-ahead when the consumer stops, and ends only when it has ended', async () => {
    const { source, steps } = sourceOf(THREE);
    for await (const _ of readPages(source, WANTED)) break;
    expect(steps).toEqual(['ask ', 'got ', 'ask b', 'stop b']);
  });

  it('cancels the look-ahead when the consumer fails, and keeps the error of the consumer', async () => {
    const { source, steps } = sourceOf({ ...THREE, b: new Error('of no interest any more') });
    const failing = async () => {
      for await (const _ of readPages(source, WANTED)) throw new Error('disk full');
    };
    await expect(failing()).rejects.toThrow('disk full');
    expect(steps.at(-1)).toBe('stop b');
  });

  it('passes on the cancellation of the caller', async () => {
    const stop = new AbortController();
    const { source, steps } = sourceOf(THREE);
    const reader = readPages(source, { ...WANTED, call: { ...WANTED.call, signal: stop.signal } });
    await reader.next();
    stop.abort();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(steps.at(-1)).toBe('stop b');
    await reader.return();
    await expect(readPages(source, { ...WANTED, call: { ...WANTED.call, signal: stop.signal } }).next()).rejects.toBeInstanceOf(
      CancelledError,
    );
  });

  it.each([
    ['to itself', { '': page('one', 'b'), b: page('two', 'b') }, null, ['one']],
    ['back in a circle', { '': page('one', 'b'), b: page('two', 'c'), c: page('three', 'b') }, null, ['one', 'two']],
    ['to the cursor it was started at', { b: page('two', 'c'), c: page('three', 'b') }, 'b', ['two']],
  ])('refuses a page that points %s, so that no checkpoint can hold that cursor', async (_where, pages, cursor, expected) => {
    const reader = readPages(sourceOf(pages).source, { ...WANTED, cursor });
    const got: unknown[] = [];
    const reading = async () => {
      for await (const { rows } of reader) got.push((rowAt(rows, 0) as unknown[])[0]);
    };
    const error = await reading().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ context: { job: 'acme', dataset: 'keyword_rankings' } });
    expect(got).toEqual(expected);
  });

  it.each([
    ['the rows that the service counts', undefined, 40n, [3, 3]],
    ['the rows up to the limit, where the service counts more', 11, 4_000n, [0, 0]],
    ['two pages, where the service counts none', 11, null, [1, 1]],
  ])('announces calls for %s', async (_what, rowLimit, totalRowCount, expected) => {
    const counted = (name: string, next: string | null): Page => ({ ...page(name, next), totalRowCount });
    const followedBy: unknown[] = [];
    const { source } = sourceOf({ '': counted('one', 'b'), b: counted('two', 'c'), c: counted('three', null) });
    const watched: PageSource = {
      ...source,
      paginate: (dataset, wanted, call) => {
        followedBy.push(call.followedBy);
        return source.paginate(dataset, { ...wanted, pageSize: 500 }, call);
      },
    };
    await namesOf(readPages(watched, { ...WANTED, rowLimit, pageSize: 10 }));
    expect(followedBy).toEqual(expected);
  });

  it('ends in the fitting error when the first answer is no page', async () => {
    const sourceWith = (answer: PollAnswer): PageSource => ({ poll: async () => answer, paginate: async () => page('', null) });
    const failed = readPages(sourceWith({ state: 'failed', message: 'too much', requestId: 'r1' }), WANTED).next();
    await expect(failed).rejects.toThrow(ExecutionFailedError);
    const running = readPages(sourceWith({ state: 'in_progress', requestId: null }), WANTED).next();
    await expect(running).rejects.toThrow(ProtocolError);
  });
});
