// One answer for all who ask: while it is looked for nobody looks a second time, and a good one is given for a while.

/** `ask`, done by one at a time; its answer holds for `keepMs` from when it came. A failure is not kept. */
export function shareAnswer<T>(ask: () => Promise<T>, keepMs: number, now: () => number = () => performance.now()): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let goodUntil = Number.POSITIVE_INFINITY;
  return () => {
    if (answer && now() < goodUntil) return answer;
    goodUntil = Number.POSITIVE_INFINITY;
    answer = ask();
    answer.then(
      () => {
        goodUntil = now() + keepMs;
      },
      () => {
        answer = undefined;
      },
    );
    return answer;
  };
}
