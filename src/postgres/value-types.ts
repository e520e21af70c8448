// How Postgres values become TypeScript values. The types of statement results follow from this.
import pg from 'pg';

const { builtins } = pg.types;

/** Dates stay `YYYY-MM-DD` text (so that no time zone can shift them); int8 identifiers and counts become numbers. */
export const VALUE_TYPES: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (format !== 'binary' && oid === builtins.DATE) return (text: string) => text;
    if (format !== 'binary' && oid === builtins.INT8) return parseCount;
    return pg.types.getTypeParser(oid, format);
  },
};

function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`an int8 of the ledger is beyond 2^53: ${text}`);
  return value;
}
