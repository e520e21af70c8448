// Conditions on single results (domain, type, rank), tested on the numbers of a result page rather than on rows.
import { RESULT_TYPES, type Serp } from '../world/serp.ts';
import type { WebProperty } from '../world/world.ts';
import type { Condition } from './conditions.ts';

/** The columns it can test. */
const COLUMNS = ['root_domain', 'result_type', 'rank_standard'];

export class ResultTests {
  /** Whether there is nothing to test. */
  readonly isEmpty: boolean;
  readonly #domains: ReadonlyMap<WebProperty, readonly boolean[]>;
  readonly #types: readonly boolean[];
  readonly #ranks: readonly boolean[];

  /** Throws for a condition on anything but a result's domain, type or standard rank. */
  constructor(conditions: readonly Condition[], properties: readonly WebProperty[], resultsPerKeyword: number) {
    const odd = conditions.find(({ column }) => !COLUMNS.includes(column));
    if (odd) throw new Error(`the sandbox cannot filter rankings by ${odd.column}`);
    const accepts = (column: string, value: string | null): boolean =>
      conditions.every((condition) => condition.column !== column || condition.accepts(value));
    this.isEmpty = conditions.length === 0;
    this.#domains = new Map(properties.map((p) => [p, p.domains.map(({ rootDomain }) => accepts('root_domain', rootDomain))]));
    this.#types = RESULT_TYPES.map((type) => accepts('result_type', type));
    this.#ranks = Array.from({ length: resultsPerKeyword + 1 }, (_, rank) => accepts('rank_standard', rank === 0 ? null : String(rank)));
  }

  /** Whether the result at position `at` of a page laid out for `property` matches. */
  accept(property: WebProperty, serp: Serp, at: number): boolean {
    if (this.isEmpty) return true;
    return (
      this.#types[serp.type[at] as number] === true &&
      this.#ranks[serp.rankStandard[at] as number] === true &&
      this.#domains.get(property)?.[serp.domain[at] as number] === true
    );
  }
}
