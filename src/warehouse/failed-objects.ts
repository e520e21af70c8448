// Which object of the database a failed statement was about, by its name in SQL. Postgres names a partition where the statement that helps
// has to name its table; of refused rights it names the object in its message only.
import { DATASETS } from '../datasets/index.ts';

/** What an error of Postgres says beside its code. https://www.postgresql.org/docs/current/protocol-error-fields.html */
export type FailedStatement = Readonly<{
  message: string;
  schema?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
  constraint?: string | undefined;
  /** The functions that ran. */
  where?: string | undefined;
  /** Whether schema, table and constraint are what has to be changed, as the catalogue knows (written-rows.ts). */
  isOfCatalogue?: boolean | undefined;
}>;

/** An identifier as SQL takes it. */
export function quote(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** The table to change: of a partition that has the name of its dataset, the dataset's. */
export function tableOf(failed: FailedStatement): string {
  if (failed.isOfCatalogue && failed.schema !== undefined && failed.table !== undefined) {
    return `${quote(failed.schema)}.${quote(failed.table)}`;
  }
  const named = failed.table ?? /(?:relation|table) "?([^" ]+)"?/.exec(failed.message)?.[1];
  if (named === undefined) return 'the table';
  const [name = '', namedSchema] = named.split('.').reverse();
  const schema = failed.schema ?? namedSchema ?? (isStaging(name) ? 'searchmill_staging' : 'search');
  const dataset = datasetOf(name);
  // People do not change partitions: what a partition has comes from its table.
  if (dataset !== undefined && (schema === 'search' || schema === 'search_partitions')) return `search.${quote(dataset)}`;
  return `${quote(schema)}.${quote(name)}`;
}

export const isStaging = (table: string): boolean => /^execution_\d+$/.test(table);

export function columnOf({ column, message }: FailedStatement): string {
  const named = column ?? /column "?([^" ]+)"?/.exec(message)?.[1];
  return named === undefined ? 'the column' : quote(named.split('.').at(-1) ?? named);
}

/** A constraint or an index. */
export function constraintOf({ constraint, message }: FailedStatement): string {
  const named = constraint ?? /(?:constraint|index) "([^"]+)"/.exec(message)?.[1];
  return named === undefined ? 'the constraint' : quote(named);
}

/** The function of somebody else that raised an error, such as one of a trigger; undefined where none did. */
export function functionOf({ where = '' }: FailedStatement): string | undefined {
  const name = /function (\S+\(.*?\)) line/.exec(where)?.[1];
  return name === undefined || /^(searchmill|search_reports)\./.test(name) ? undefined : name;
}

/** The month that a table is named after: its dataset, and its bounds. */
export function monthOf({ table = '' }: FailedStatement): Readonly<{ dataset: string; from: string; to: string }> | undefined {
  const dataset = datasetOf(table);
  const [, year, month] = /_(\d{4})_(\d\d)$/.exec(table) ?? [];
  if (dataset === undefined || year === undefined || month === undefined) return undefined;
  const to = new Date(Date.UTC(Number(year), Number(month), 1)).toISOString().slice(0, 10);
  return { dataset, from: `${year}-${month}-01`, to };
}

/** The dataset that a table or a partition is named after. */
export function datasetOf(table: string): string | undefined {
  return DATASETS.find(({ name }) => table === name || table.startsWith(`${name}_`))?.name;
}
