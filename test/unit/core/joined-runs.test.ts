import { describe, expect, it } from 'vitest';
import { createJoinedRuns } from '../../../src/core/joined-runs.ts';

type Begun = Readonly<{ signal: AbortSignal; finish: (answer: string) => void; fail: (error: Error) => void }>;

/** Work that ends when the test says so. */
function workOf(): { begun: Begun[]; work: (signal: AbortSignal) => Promise<string> } {
  const begun: Begun[] = [];
  const work = (signal: AbortSignal): Promise<string> =>
    new Promise((finish, fail) => {
      begun.push({ signal, finish, fail });
    });
  return { begun, work };
}
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('runs that are joined', () => {
  it('one answer serves all who asked before it was begun, and none who asked later', async () => {
    const { begun, work } = workOf();
    const { run } = createJoinedRuns<string>();
    const first = run('a', work);
    const later = [run('a', work), run('a', work), run('a', work)];
    expect(begun).toHaveLength(1);
    begun[0]?.finish('one');
    expect(await first).toBe('one');
    await turn();
    expect(begun).toHaveLength(2);
    begun[1]?.finish('two');
    expect(await Promise.all(later)).toEqual(['two', 'two', 'two']);
    void run('a', work);
    expect(begun).toHaveLength(3);
  });

  it('runs of different keys are independent', () => {
    const { begun, work } = workOf();
    const { run } = createJoinedRuns<string>();
    void run('a', work);
    void run('b', work);
    expect(begun).toHaveLength(2);
  });

  it('a failure goes to all callers that joined; the next call asks again', async () => {
    const { begun, work } = workOf();
    const { run } = createJoinedRuns<string>();
    const first = run('a', work);
    const second = run('a', work);
    begun[0]?.fail(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await turn();
    begun[1]?.finish('yes');
    expect(await second).toBe('yes');
  });

  it('work goes on while one caller still waits, and is stopped when all have gone', async () => {
    const { begun, work } = workOf();
    const { run } = createJoinedRuns<string>();
    const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()];
    const answers = [run('a', work, one.signal), run('a', work, two.signal), run('a', work, three.signal)];
    one.abort(new Error('gone'));
    expect(begun[0]?.signal.aborted).toBe(true);
    begun[0]?.fail(new Error('gone'));
    await expect(answers[0]).rejects.toThrow('gone');
    await turn();
    two.abort();
    expect(begun[1]?.signal.aborted).toBe(false);
    three.abort(new Error('gone, too'));
    expect(begun[1]?.signal.reason).toEqual(new Error('gone, too'));
    begun[1]?.finish('unread');
    await Promise.all(answers.slice(1));
  });
});
