// The places that submits have in this process: some for each connection, so that one whose service hangs takes none of the
// others'.
export class SubmitPlaces {
  readonly #each: number;
  readonly #taken = new Map<string, number>();
  readonly #turnedAway = new Set<string>();

  /** `each` is how many submits of a connection may be under way at once. */
  constructor(each: number) {
    this.#each = each;
  }

  /** Runs `submit` in a place of the connection. When none is free it is not run; `ring` is called as soon as one is. */
  async use(connection: string, submit: () => Promise<void>, ring: () => Promise<void>): Promise<void> {
    const taken = this.#taken.get(connection) ?? 0;
    if (taken >= this.#each) {
      this.#turnedAway.add(connection);
      return;
    }
    this.#taken.set(connection, taken + 1);
    try {
      await submit();
    } finally {
      this.#taken.set(connection, (this.#taken.get(connection) ?? 1) - 1);
      if (this.#turnedAway.delete(connection)) await ring();
    }
  }
}
