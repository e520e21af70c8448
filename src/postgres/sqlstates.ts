// What a Postgres failure means, by its SQLSTATE: whether it is transient, and what helps. Each code is listed, so that an operator can look it
// up and a reviewer can discuss it. https://www.postgresql.org/docs/current/errcodes-appendix.html
import {
  columnOf,
  constraintOf,
  datasetOf,
  type FailedStatement,
  functionOf,
  isStaging,
  monthOf,
  quote,
  quotedIn,
  relationIn,
  tableOf,
} from './failed-objects.ts';

type Meaning = Readonly<{
  /** Describes a transient failure. Without it, only a person can resolve the failure. */
  passes?: string;
  /** What to do; for a transient failure, what to do when it lasts. */
  advice?: string | ((failed: FailedStatement) => string);
}>;

const TYPES = 'docs/tables.md has the types';

const dropConstraint = (failed: FailedStatement): string => `ALTER TABLE ${tableOf(failed)} DROP CONSTRAINT ${constraintOf(failed)}`;
/** Loads never write a row twice, and the primary key of a table must stay. */
const adviseAboutTwice = (failed: FailedStatement): string =>
  constraintOf(failed).endsWith('_pkey') && datasetOf(failed.table ?? '') !== undefined
    ? `somebody else writes into ${tableOf(failed)}: "searchmill verify --deep" names the weeks, and what mends them`
    : dropIndex(failed);

/** The index of a partition has its own name, and can be dropped only together with the table's. */
const dropIndex = (failed: FailedStatement): string => {
  // The catalogue knows it as a constraint.
  if (failed.isOfCatalogue) return dropConstraint(failed);
  const index = constraintOf(failed);
  // The index of a month is in the schema of the month's rows.
  const schema = failed.schema ?? (/_\d{4}_\d\d_/.test(index) ? 'search_partitions' : 'search');
  const drop = `DO $$ BEGIN EXECUTE format('DROP INDEX %s', pg_partition_root('${schema}.${index}')); END $$`;
  return `${drop}; or, where it is that of a constraint, ALTER TABLE ${tableOf(failed)} DROP CONSTRAINT, as SELECT pg_partition_root('${schema}.${index}') names it`;
};

const MEANINGS: Readonly<Record<string, Meaning>> = {
  '08000': { passes: 'connection exception' },
  '08001': { passes: 'the connection could not be made' },
  '08003': { passes: 'the connection does not exist' },
  '08004': { passes: 'the server rejected the connection' },
  '08006': { passes: 'the connection failed' },
  '25006': {
    passes: 'the server is read-only, as while failing over',
    advice: 'a standby takes no changes until it is promoted: if that is not under way, set DATABASE_URL to its primary',
  },
  '25P03': { passes: 'the session was idle in a transaction for too long' },
  '40001': { passes: 'serialization failure' },
  '40P01': { passes: 'deadlock' },
  '53000': { passes: 'insufficient resources', advice: 'give the server what it lacks; its log says more' },
  '53100': { passes: 'the disk is full', advice: 'make room for the database; loads then go on by themselves' },
  '53200': { passes: 'out of memory', advice: 'give the server more memory, or a smaller work_mem, or fewer connections' },
  '53300': {
    passes: 'too many connections',
    advice: 'raise max_connections, or the CONNECTION LIMIT of the role or the database; or start with a smaller --concurrency',
  },
  '55006': { passes: 'object in use' },
  '55P03': { passes: 'lock not available' },
  '57014': { passes: 'the statement was cancelled' },
  '57P01': { passes: 'the server is shutting down' },
  '57P02': { passes: 'the server crashed' },
  '57P03': { passes: 'the server is starting up or shutting down' },
  '57P05': { passes: 'the session was idle for too long' },
  '58000': { passes: 'system error', advice: 'the log of the server says more' },
  '58030': { passes: 'input or output error', advice: 'look at the disk of the server; its log says more' },

  // Changes that people made to a table.
  '23502': {
    advice: (failed) =>
      `ALTER TABLE ${tableOf(failed)} ALTER COLUMN ${columnOf(failed)} DROP NOT NULL; or, where it is a column of yours, SET DEFAULT`,
  },
  '23503': { advice: (failed) => `${dropConstraint(failed)}: loads delete and insert rows without regard to other tables` },
  '23505': { advice: adviseAboutTwice },
  '23514': {
    advice: (failed) =>
      failed.constraint === undefined
        ? `attach a partition of ${tableOf(failed)} for that day, or detach the one that takes a part of its month`
        : dropConstraint(failed),
  },
  '23P01': { advice: dropConstraint },
  '0A000': { advice: (failed) => `bring ${tableOf(failed)} back to what it was: a foreign table or a view takes no loads` },
  '22001': { advice: `give the column back its type, which is text: ${TYPES}` },
  '22003': { advice: `give the column back its type: ${TYPES}` },
  '22P02': { advice: `give the column back its type: ${TYPES}` },
  '42703': { advice: (failed) => `ALTER TABLE ${tableOf(failed)} ADD COLUMN ${columnOf(failed)}, or rename it back: ${TYPES}` },
  '42804': { advice: (failed) => `ALTER TABLE ${tableOf(failed)} ALTER COLUMN ${columnOf(failed)} TYPE the one it had: ${TYPES}` },
  '428C9': {
    advice: (failed) =>
      `make ${columnOf(failed)} an ordinary column again: ALTER COLUMN ${columnOf(failed)} DROP EXPRESSION, or DROP IDENTITY`,
  },
  '42P01': {
    advice: (failed) =>
      `rename ${tableOf({ ...failed, table: failed.table ?? quotedIn(failed.message)[0] })} back, or restore it from a backup`,
  },
  '42P07': { advice: adviseAboutLeftTable },
  '42P17': {
    advice: (failed) =>
      `make partitions of ${tableOf(failed)} for the days that none takes, or detach the one that takes a part of the month`,
  },
  '42809': { advice: (failed) => `bring ${tableOf(failed)} back to the partitioned table that it was` },
  '44000': { advice: (failed) => `bring ${tableOf(failed)} back to the table that it was` },
  '54000': { advice: dropIndex },
  '55000': {
    advice: (failed) =>
      failed.routine === 'CheckCmdReplicaIdentity'
        ? `ALTER TABLE ${tableOf(failed)} REPLICA IDENTITY FULL, or take it out of the publication`
        : `bring ${tableOf(failed)} back to what it was`,
  },
  P0001: { advice: adviseAboutFunction },
  '38000': { advice: adviseAboutFunction },

  // Rights and missing objects.
  '3F000': { advice: 'restore the schema from a backup' },
  '42501': { advice: adviseAboutRights },
  '42883': { advice: 'restore the function: make the schemas searchmill and search_reports anew from a backup' },

  // The server.
  '53400': { advice: 'raise the limit that is named, such as temp_file_limit, for the role of DATABASE_URL' },
  XX001: { advice: 'data of the server is damaged: restore it from a backup; its log says more' },
  XX002: { advice: (failed) => `REINDEX INDEX ${constraintOf(failed)}; the log of the server says more` },
};

/** Describes a transient failure; undefined for all others. */
export function passingMeaning(code: string): string | undefined {
  return MEANINGS[code]?.passes;
}

/** Advice about a failure, naming the object it concerned; undefined when there is none. */
export function adviceAgainst(code: string, failed: FailedStatement): string | undefined {
  const meaning = MEANINGS[code];
  // A function may raise any code.
  if (meaning === undefined) return functionOf(failed) && adviseAboutFunction(failed);
  const { advice } = meaning;
  return typeof advice === 'function' ? advice(failed) : advice;
}

function adviseAboutLeftTable(failed: FailedStatement): string {
  const name = `search_partitions.${quote(failed.table ?? '')}`;
  const month = monthOf(failed);
  if (month === undefined) return 'rename or drop what has that name';
  const attach = `ALTER TABLE search.${month.dataset} ATTACH PARTITION ${name} FOR VALUES FROM ('${month.from}') TO ('${month.to}')`;
  return `${attach}; or, to keep it apart, ALTER TABLE ${name} RENAME TO ${quote(`detached_${failed.table}`)}`;
}

function adviseAboutFunction(failed: FailedStatement): string {
  const by = functionOf(failed);
  return by === undefined
    ? 'a trigger of the database refused: drop it, or have it let the rows pass'
    : `a trigger runs ${by}, which refused: drop the trigger, or have it let the rows pass`;
}

const GENERAL_RIGHTS =
  'this role lacks a right: migrating needs CREATE on the database, distributing to own the tables as migrating does, loading GRANT searchmill_writer, status GRANT searchmill_reader';

/** Functions of the server that refuse because of row level security. */
const ROW_SECURITY: ReadonlySet<unknown> = new Set(['check_enable_rls', 'ExecWithCheckOptions']);

export const isRowSecurity = ({ code, routine }: Readonly<{ code?: unknown; routine?: unknown }>): boolean =>
  code === '42501' && ROW_SECURITY.has(routine);

/** The server has one code and one routine for a right that is missing and for a role that is not the owner; only their words differ. */
function adviseAboutRights(failed: FailedStatement): string {
  const { message, routine } = failed;
  if (isRowSecurity({ code: '42501', routine })) {
    const table = tableOf(failed);
    return `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY, or ALTER ROLE ... BYPASSRLS for the role of DATABASE_URL`;
  }
  const by = functionOf(failed);
  if (by !== undefined) return `GRANT what ${by} needs to searchmill_writer, or make that function SECURITY DEFINER`;
  const table = relationIn(message);
  if (table === undefined) return GENERAL_RIGHTS;
  const name = tableOf({ message: '', table });
  if (isStaging(table)) return `ALTER TABLE ${name} OWNER TO searchmill_writer, and GRANT searchmill_writer to the role of DATABASE_URL`;
  return `GRANT SELECT, INSERT, UPDATE, DELETE ON ${name} TO searchmill_writer, and that to the role of DATABASE_URL; what changes the table itself, do as the role that owns it`;
}
