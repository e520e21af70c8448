// What is found out about a server before the tests that need it.

/** A server that tests may use, or why there is none. */
export type FoundServer = Readonly<{ url: string; origin: string } | { url?: never; origin?: never; missingBecause: string }>;

export type StartedServer = FoundServer & Readonly<{ stop?: () => Promise<void> }>;
