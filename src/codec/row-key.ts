// The row key: 128 bits that say which row of a dataset a row is. The rule stands in the migration that made the function
// searchmill.row_key; here are its two other forms: what the decoder adds for a value, and what Postgres is given for a row.
import { hash } from 'node:crypto';
import pg from 'pg';
import { type Dataset, identityColumns } from '../datasets/dataset.ts';

/** Of the keys this release makes. Another rule, or other identity columns of any dataset, is another version. */
export const KEY_VERSION = 2;

/**
 * What an identity column adds to the text that the key is the digest of. `cell`: canonical text of the value, null for NULL.
 * Identity columns are integers, dates and text.
 */
export function identify(cell: string | null): string {
  return cell === null ? '-' : `${Buffer.byteLength(cell)}:${cell}`;
}

/** The key of a row whose identity columns added `identity`, in order: 32 hexadecimal digits. */
export function keyOf(identity: string): string {
  return hash('sha256', identity).slice(0, 32);
}

/** The arguments of searchmill.row_key for the rows of a table or staging table of the dataset. */
export function keyArguments(dataset: Dataset): string {
  return identityColumns(dataset)
    .map(({ name, pg: type }) => {
      const column = pg.escapeIdentifier(name);
      // Not a cast: that would follow the session's DateStyle.
      return type === 'date' ? `to_char(${column}, 'YYYY-MM-DD')` : `${column}::text`;
    })
    .join(', ');
}
