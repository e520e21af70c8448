// One answer for all callers: concurrent calls share one computation, and a successful answer is reused for a while.

/** Calls `ask` at most once at a time; its answer is reused for `keepMs` after it arrived. A failure is not reused. */
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
