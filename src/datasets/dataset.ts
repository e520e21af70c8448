// The shape of a dataset definition. One file per dataset states everything particular to it. Decoding, staging, publishing, the
// sandbox and the configuration read the definitions; `npm run generate` makes the tables, views, JSON schema and pages from them.
// Source: service specification, "Result rows" and "Submit body, by operation".

/** The type names the service uses in `schema`. */
export type WireType = 'integer' | 'string' | 'date' | 'float' | 'boolean';

/** The Postgres types Searchmill stores. */
export type PgType = 'bigint' | 'integer' | 'double precision' | 'boolean' | 'date' | 'text';

export type Column = Readonly<{
  /** The service's name, used unchanged in Postgres. */
  name: string;
  wire: WireType;
  pg: PgType;
  /**
   * True when the column says *which* row this is (a dimension) rather than what was measured. Identity columns make
   * the row key; ranks, volumes, scores, titles and display names change and so do not identify.
   */
  isIdentity: boolean;
  /** Set for comma-separated lists: the type of one item. Views offer these columns as arrays. */
  items?: 'integer' | 'string';
  /** Set where rows that would vanish are counted by the values of this column: what its values are called together. */
  breakdown?: 'countries' | 'locations' | 'devices' | 'engines' | 'brands' | 'domains';
  /**
   * Set where a value says what was asked: an answer that has none of its rows, where at least so many are published, is held
   * (docs/decisions/0019-what-vanishes.md).
   */
  heldFrom?: number;
  /** One sentence for COMMENT ON and docs/tables.md. */
  comment: string;
}>;

/** How a submit field is written in the request: a single value or a JSON array. */
export type FilterType = 'integer' | 'string' | 'boolean' | 'integers' | 'strings';

/** Forms of values: a two-letter country; a country, alone or with a city or region; a language tag. */
export type ValueForm = 'country' | 'locode' | 'language';

export type Filter = Readonly<{
  /** The service's field name. */
  name: string;
  type: FilterType;
  /** The column a row must match, where there is one; the sandbox filters by it. */
  column?: string;
  /**
   * How two lists of values prove that no row meets both (disjoint-filters.ts): no value of one is one of the other (`value`),
   * nor the beginning of one, as `US` of `US-NY` (`prefix`), nor the domain above one (`host`). Not set where a row may have
   * several values, or where it is not known how the service compares them.
   */
  separates?: 'value' | 'prefix' | 'host';
  /** A column that decides the value of `column`. If it is an identity column, the filter separates even if `column` is none. */
  settledBy?: string;
  /** Values the specification or public documentation shows. Others are allowed, with a hint when one looks misspelt. */
  known?: readonly string[];
  /**
   * Where the specification shows no value: those of public documentation and common knowledge. Only hints; any other value is
   * remarked upon, and sent.
   */
  suggested?: readonly string[];
  /** What the specification says of the form of a value, in words. */
  form?: ValueForm;
  /** Documented publicly: the service compares values of this filter without case. */
  ignoresCase?: true;
  /** Smallest value of an integer filter. */
  min?: number;
  /** Which of two values of the filter selects all rows that the other does; not set where it is a list, or neither does. */
  widens?: 'lower' | 'higher' | 'any';
  comment: string;
}>;

/** What summaries of search_reports are about; each is made from the tables of one dataset or more. */
export type ReportSubject = 'rankings' | 'answers' | 'citations' | 'sentiments' | 'fan_out';

export type Dataset<Name extends string = string> = Readonly<{
  /** The operation's name: the last part of its path, and the name of its table. */
  name: Name;
  title: string;
  /** The specification's tag. */
  tag: string;
  /** What one row is, in one sentence. */
  grain: string;
  /** Names of the two submit fields that carry the window. */
  period: Readonly<{ start: string; end: string }>;
  /** Submit fields other than `account_id` and the period. */
  filters: readonly Filter[];
  /** The row, in the service's order. */
  columns: readonly Column[];
  /** The summaries that change with its table; the first says when its weeks have figures. Empty where there are none. */
  subjects: readonly ReportSubject[];
}>;

/** How submit bodies name the window, except where an operation says otherwise. */
const COMMON_PERIOD = { start: 'start_date', end: 'end_date' };

/** A definition whose name is a type. `period` is left out where the window has its common names. */
export function defineDataset<const Name extends string>(
  definition: Omit<Dataset<Name>, 'period'> & Partial<Pick<Dataset, 'period'>>,
): Dataset<Name> {
  return { period: COMMON_PERIOD, ...definition };
}

/** Path of a dataset's operation below the base URL. */
export function operationPath(dataset: Pick<Dataset, 'name'>): string {
  return `/data-api/v1/async/${dataset.name}`;
}

/** The columns that make the row key, in the service's order. */
export function identityColumns(dataset: Dataset): Column[] {
  return dataset.columns.filter((column) => column.isIdentity);
}
