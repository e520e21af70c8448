// One run serves all callers with the same key who asked before it began. A later caller gets the next run, and so never an answer that
// was read before the question.

/** `work` of a key, done by one at a time. */
export type JoinedRuns<T> = Readonly<{
  /** `gone` aborts when the caller no longer waits; when all have gone, the signal passed to the work aborts. */
  run: (key: string, work: (signal: AbortSignal) => Promise<T>, gone?: AbortSignal) => Promise<T>;
}>;

/** Who waits for a run. */
type Waiting = Readonly<{ signal: AbortSignal; join: (gone?: AbortSignal) => void }>;
type Next<T> = Readonly<{ waiting: Waiting; answer: Promise<T> }>;
/** `ended` settles with the run, and never rejects. */
type Lane<T> = { ended: Promise<void>; next: Next<T> | undefined };

export function createJoinedRuns<T>(): JoinedRuns<T> {
  const lanes = new Map<string, Lane<T>>();

  const begin = (key: string, waiting: Waiting, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const answer = (async () => work(waiting.signal))();
    const ended = answer.then(
      () => undefined,
      () => undefined,
    );
    const lane: Lane<T> = { ended, next: undefined };
    lanes.set(key, lane);
    void ended.then(() => {
      if (!lane.next && lanes.get(key) === lane) lanes.delete(key);
    });
    return answer;
  };

  return {
    run(key, work, gone) {
      const lane = lanes.get(key);
      if (lane?.next) {
        lane.next.waiting.join(gone);
        return lane.next.answer;
      }
      const waiting = createWaiting();
      waiting.join(gone);
      if (!lane) return begin(key, waiting, work);
      const answer = lane.ended.then(() => begin(key, waiting, work));
      lane.next = { waiting, answer };
      return answer;
    },
  };
}

function createWaiting(): Waiting {
  const all = new AbortController();
  let left = 0;
  return {
    signal: all.signal,
    join(gone) {
      left += 1;
      const leave = (): void => {
        left -= 1;
        if (left === 0) all.abort(gone?.reason);
      };
      if (gone?.aborted) leave();
      else gone?.addEventListener('abort', leave, { once: true });
    },
  };
}
