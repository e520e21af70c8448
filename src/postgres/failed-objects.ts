// Finds which database object a failed statement concerned, by its SQL name. Postgres reports the partition where the remedy needs its table;
// for missing rights it names the object only in the message. Messages are in the language of the server (lc_messages): only the names in them are the same
// everywhere, in quotation marks of that language or in none, and in any order.
import { DATASETS } from '../datasets/index.ts';

/** Fields of a Postgres error besides its code. https://www.postgresql.org/docs/current/protocol-error-fields.html */
export type FailedStatement = Readonly<{
  message: string;
  schema?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
  constraint?: string | undefined;
  /** The functions that were running. */
  where?: string | undefined;
  /** The function of the server that refused, the same in all languages. */
  routine?: string | undefined;
  /** Whether schema, table and constraint name the object to be changed, as looked up in the catalogue (written-rows.ts). */
  isOfCatalogue?: boolean | undefined;
}>;

/** Quotes an identifier if SQL needs it. */
export function quote(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** The table to change: for a partition named after its dataset, the dataset's table. */
export function tableOf(failed: FailedStatement): string {
  if (failed.isOfCatalogue && failed.schema !== undefined && failed.table !== undefined) {
    return `${quote(failed.schema)}.${quote(failed.table)}`;
  }
  const named = failed.table ?? relationIn(failed.message);
  if (named === undefined) return 'the table';
  const [name = '', namedSchema] = named.split('.').reverse();
  const schema = failed.schema ?? namedSchema ?? (isStaging(name) ? 'searchmill_staging' : 'search');
  const dataset = datasetOf(name);
  // Partitions are not changed directly: they inherit from their table.
  if (dataset !== undefined && (schema === 'search' || schema === 'search_partitions')) return `search.${quote(dataset)}`;
  return `${quote(schema)}.${quote(name)}`;
}

export const isStaging = (table: string): boolean => /^execution_\d+$/.test(table);

export function columnOf({ column, message }: FailedStatement): string {
  const named = column ?? quotedIn(message).find((name) => !isRelation(name)) ?? /\b\w+\.(\w+)/.exec(message)?.[1];
  return named === undefined ? 'the column' : quote(named.split('.').at(-1) ?? named);
}

/** The name of the constraint or index. */
export function constraintOf({ constraint, message }: FailedStatement): string {
  const named = constraint ?? quotedIn(message).findLast((name) => !isRelation(name));
  return named === undefined ? 'the constraint' : quote(named);
}

/** The table of ours that a message names. */
export function relationIn(message: string): string | undefined {
  return message.match(/[A-Za-z_][\w.]*/g)?.find(isRelation);
}

/** The names that a message puts in quotation marks, in any language. */
export function quotedIn(message: string): string[] {
  return [...message.matchAll(/["»«„“”]\s*([^"»«„“”]+?)\s*["»«„“”]/g)].flatMap(([, name]) => name ?? []);
}

function isRelation(name: string): boolean {
  const table = name.split('.').at(-1) ?? name;
  return isStaging(table) || datasetOf(table) !== undefined;
}

/** The foreign function that raised an error, such as a trigger's; undefined when there is none. */
export function functionOf({ where = '' }: FailedStatement): string | undefined {
  const line = where.split('\n').find((each) => each.includes('PL/pgSQL')) ?? '';
  const name = /[A-Za-z_"][\w."$]*\([^()]*\)/.exec(line)?.[0];
  return name === undefined || /^(searchmill|search_reports)\./.test(name) ? undefined : name;
}

/** The dataset and the month's bounds that a partition's name tells. */
export function monthOf({ table = '' }: FailedStatement): Readonly<{ dataset: string; from: string; to: string }> | undefined {
  const dataset = datasetOf(table);
  const [, year, month] = /_(\d{4})_(\d\d)$/.exec(table) ?? [];
  if (dataset === undefined || year === undefined || month === undefined) return undefined;
  const to = new Date(Date.UTC(Number(year), Number(month), 1)).toISOString().slice(0, 10);
  return { dataset, from: `${year}-${month}-01`, to };
}

/** The dataset in the name of a table or partition. */
export function datasetOf(table: string): string | undefined {
  return DATASETS.find(({ name }) => table === name || table.startsWith(`${name}_`))?.name;
}
