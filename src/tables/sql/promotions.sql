-- Promoted columns: keys of _extra that have become columns.

-- name: promotions/add-column
-- Makes a promoted column, without a value. Locks: the table and its partitions, for everybody, until the transaction ends.
ALTER TABLE {table} ADD COLUMN {column} {type};

-- name: promotions/delete
-- Forgets a promoted column. Params: :dataset, :column. Repeating changes nothing.
DELETE FROM searchmill.promotions WHERE dataset = :dataset AND column_name = :column;

-- name: promotions/drop-column
-- Removes a column. Locks: the table and its partitions, for everybody, until the transaction ends.
ALTER TABLE {table} DROP COLUMN {column};

-- name: promotions/comment
-- Says what a promoted column is. Locks: the table, against other changes of it.
COMMENT ON COLUMN {table}.{column} IS {comment};

-- name: promotions/fill-week
-- Fills a promoted column in the rows of one week that were written before it was made. The trigger of the table gives the values.
-- Params: :column (the key), :type, :accountId, :week. Repeating changes nothing. Locks: the rows.
UPDATE {table} SET {column} = NULL
 WHERE account_id = :accountId AND time_period_start >= :week::date AND time_period_start < :week::date + 7
   AND {column} IS NULL AND searchmill.promoted_value(_extra -> :column, :type) IS NOT NULL;

-- name: promotions/find-weeks
-- Weeks with rows whose _extra has a key, after an account and week, in the order in which they are filled.
-- Params: :column (the key); :afterAccount and :afterWeek, or null from the first on. Locks: none.
-- Not null: account, week, rows.
SELECT account_id::text AS account, week::text AS week, count(*) AS rows
  FROM (SELECT account_id, time_period_start - extract(dow FROM time_period_start)::integer AS week
          FROM {table} WHERE pg_catalog.jsonb_exists(_extra, :column)) AS found
 WHERE :afterAccount::bigint IS NULL OR (account_id, week) > (:afterAccount::bigint, :afterWeek::date)
 GROUP BY account_id, found.week
 ORDER BY account_id, found.week;

-- name: promotions/finish
-- Notes that all rows from before are filled. Params: :dataset, :column. Repeating keeps the first time.
UPDATE searchmill.promotions SET filled_at = coalesce(filled_at, clock_timestamp()) WHERE dataset = :dataset AND column_name = :column;

-- name: promotions/find-lacking-weeks
-- Weeks with rows whose promoted column has a value and whose _extra has none: written while triggers were off. None otherwise.
-- Params: :column (the key). Locks: none.
-- Not null: account, week, rows.
SELECT account_id::text AS account, week::text AS week, count(*) AS rows
  FROM (SELECT account_id, time_period_start - extract(dow FROM time_period_start)::integer AS week
          FROM {table} WHERE {column} IS NOT NULL AND _extra ->> :column IS NULL) AS found
 GROUP BY account_id, found.week
 ORDER BY account_id, found.week;

-- name: promotions/give-back-week
-- Puts values of a promoted column into the _extra of rows of one week that have none there. Params: :column (the key), :accountId, :week.
-- Repeating changes nothing. Locks: the rows.
UPDATE {table} SET _extra = searchmill.with_key(_extra, :column::text, {column})
 WHERE account_id = :accountId AND time_period_start >= :week::date AND time_period_start < :week::date + 7
   AND {column} IS NOT NULL AND _extra ->> :column IS NULL;

-- name: promotions/insert
-- Writes down a promoted column. Params: :dataset, :column, :type, :promotedBy. Locks: its row.
INSERT INTO searchmill.promotions (dataset, column_name, type, promoted_by) VALUES (:dataset, :column, :type, :promotedBy);

-- name: promotions/list
-- All promoted columns, in the order in which they stand in the tables. Locks: none.
SELECT dataset, column_name AS "column", type, promoted_by AS "promotedBy", promoted_at AS "promotedAt", filled_at AS "filledAt", adopted_at AS "adoptedAt"
  FROM searchmill.promotions ORDER BY dataset, promoted_at, column_name;

-- name: promotions/lock
-- Locks the view of a table with its lists as arrays, then the table and its partitions, in the order of those who read and load: so none of them meets it in a
-- deadlock. Locks: these, for everybody, until the transaction ends.
LOCK TABLE {view} IN ACCESS EXCLUSIVE MODE;

-- name: promotions/look-at-week
-- What the values of a key of _extra would become in one week. Params: :column (the key), :type, :accountId, :week. Locks: none.
-- Result: rows that have a value, odd: values that are none of the type, examples: some of those, with the key of their rows.
-- Not null: rows, odd.
SELECT count(*) FILTER (WHERE given <> '') AS rows, count(*) FILTER (WHERE given <> '' AND becomes IS NULL) AS odd,
       (array_agg(left(given, 100) ORDER BY _key, _occurrence) FILTER (WHERE given <> '' AND becomes IS NULL))[1:3] AS examples,
       (array_agg(_key::text ORDER BY _key, _occurrence) FILTER (WHERE given <> '' AND becomes IS NULL))[1:3] AS keys
  FROM (SELECT _key, _occurrence, _extra ->> :column AS given, searchmill.promoted_value(_extra -> :column, :type) AS becomes
          FROM {table}
         WHERE account_id = :accountId AND time_period_start >= :week::date AND time_period_start < :week::date + 7
           AND pg_catalog.jsonb_exists(_extra, :column)) AS found;

-- name: promotions/note-filled
-- Notes how far the rows from before are filled. Params: :dataset, :column, :accountId, :week. Repeating changes nothing.
UPDATE searchmill.promotions SET filled_account = :accountId, filled_week = :week WHERE dataset = :dataset AND column_name = :column;

-- name: promotions/read-table
-- Whether this role may change a table of the warehouse, and whether the table has a column. Params: :dataset, :column. Locks: none.
-- Not null: isOwner, hasColumn, owner.
SELECT pg_catalog.pg_has_role(c.relowner, 'USAGE') AS "isOwner", pg_catalog.pg_get_userbyid(c.relowner)::text AS owner,
       EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attname = :column AND NOT a.attisdropped) AS "hasColumn"
  FROM pg_catalog.pg_class c
 WHERE c.relnamespace = 'search'::regnamespace AND c.relname = :dataset;

-- name: promotions/read
-- A promoted column. Params: :dataset, :column. Result: one row, or none. Locks: none.
SELECT type, filled_account::text AS "filledAccount", filled_week::text AS "filledWeek", filled_at AS "filledAt", adopted_at AS "adoptedAt"
  FROM searchmill.promotions WHERE dataset = :dataset AND column_name = :column;
