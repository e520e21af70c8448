// What came of sending a message once.

export type Answer = Readonly<{
  isDelivered: boolean;
  /** What came of it, in words: `200`, `429`, `no answer within 10 s`. */
  text: string;
  /** The target refuses this very message: sending it again would bring the same answer. */
  isRefused: boolean;
  retryAfterMs: number | undefined;
}>;
