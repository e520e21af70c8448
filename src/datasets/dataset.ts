// The shape of a dataset definition. One file per dataset states everything specific to it. Decoding, staging, publishing, the sandbox and the
// configuration read the definitions; `npm run generate` derives the tables, views, JSON schema and pages from them.
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
   * True when the column identifies the row (a dimension) rather than being a measurement. Identity columns make up the row key; ranks, volumes,
   * scores, titles and display names change, so they do not identify.
   */
  isIdentity: boolean;
  /** Set for comma-separated lists: the type of one item. Views offer these columns as arrays. */
  items?: 'integer' | 'string';
  /** Set if vanishing rows are counted by the values of this column: the collective name of its values. */
  breakdown?: 'countries' | 'locations' | 'devices' | 'engines' | 'brands' | 'domains';
  /**
   * Set if values of this column reflect the question: an answer without any row of a value that has at least this many published rows is held
   * (docs/decisions/0019-what-vanishes.md).
   */
  heldFrom?: number;
  /** One sentence for COMMENT ON and docs/tables.md. */
  comment: string;
}>;

/** How a submit field is written in the request: a single value or a JSON array. */
export type FilterType = 'integer' | 'string' | 'boolean' | 'integers' | 'strings';

/** Forms of values: a two-letter country; a country, alone or with a city or region; a language tag; one with an underscore before a region; a domain. */
export type ValueForm = 'country' | 'locode' | 'language' | 'locale' | 'domain';

export type Filter = Readonly<{
  /** The service's field name. */
  name: string;
  type: FilterType;
  /**
   * What it does to the units of figures (docs/dashboards.md): selects some tracked searches or prompts, cuts rows of each, so that figures that need
   * these are gaps (migrations/repeatable/08_unit_loads.sql), or changes no row.
   */
  effect: 'selects' | 'cuts' | 'none';
  /** The column that a row must match, if any; the sandbox filters by it. */
  column?: string;
  /**
   * How two lists of values prove that no row matches both (disjoint-filters.ts): no value of one equals a value of the other (`value`), or is a
   * prefix of one, as `US` of `US-NY` (`prefix`), or is a parent domain of one (`host`). Not set if a row may have several values, or if it is
   * unknown how the service compares them.
   */
  separates?: 'value' | 'prefix' | 'host';
  /** A column that determines the value of `column`. If it is an identity column, the filter separates even if `column` is not one. */
  settledBy?: string;
  /** Values shown by the specification or public documentation. Others are allowed, with a hint when one looks misspelt. */
  known?: readonly string[];
  /**
   * If the specification shows no value: values from public documentation and common knowledge. Only hints; any other value causes a remark,
   * and is sent.
   */
  suggested?: readonly string[];
  /** Other words, in lower case, that people use for these values. */
  synonyms?: Readonly<Record<string, string>>;
  /** The form of a value according to the specification. */
  form?: ValueForm;
  /** Publicly documented: the service ignores case when it compares values of this filter. */
  ignoresCase?: true;
  /** Smallest value of an integer filter. */
  min?: number;
  /** Which of two values of the filter selects all rows that the other selects; not set for lists, or when neither does. */
  widens?: 'lower' | 'higher' | 'any';
  comment: string;
}>;

/** Subjects of the summaries in search_reports; each is derived from the tables of one or more datasets. */
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
  /** Summaries that depend on its table; the first determines when its weeks have figures. Empty if there are none. */
  subjects: readonly ReportSubject[];
}>;

/** Names of the window's fields in submit bodies, except for operations that differ. */
const COMMON_PERIOD = { start: 'start_date', end: 'end_date' };

/** A definition whose name is a type. Leave out `period` if the window has the common names. */
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
