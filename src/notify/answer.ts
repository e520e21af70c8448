// The result of one attempt to send a message.

export type Answer = Readonly<{
  isDelivered: boolean;
  /** The result in words: `200`, `429`, `no answer within 10 s`. */
  text: string;
  /** The target refuses this message itself, so sending it again would give the same result. */
  isRefused: boolean;
  retryAfterMs: number | undefined;
  /** Digests of the recipients that have it or refuse it for good, if others were put off and are to be tried again. */
  settled?: readonly string[];
}>;
