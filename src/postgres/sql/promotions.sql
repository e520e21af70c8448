-- Promoted columns: what a migration does with them.

-- name: promotions/adopt
-- Promoted columns that this release knows by itself. Params: :known, JSON of dataset and column.
-- Result: their datasets. Repeating finds none.
UPDATE searchmill.promotions p SET adopted_at = clock_timestamp()
  FROM jsonb_to_recordset(:known::jsonb) AS k(dataset text, "column" text)
 WHERE p.dataset = k.dataset AND p.column_name = k."column" AND p.adopted_at IS NULL
RETURNING p.dataset;

-- name: promotions/apply
-- Makes the trigger that fills the promoted columns of a table. Params: :dataset. Repeating changes nothing.
-- Locks: the table against writers.
SELECT searchmill.apply_promotions(:dataset);

-- name: promotions/exists
-- Whether the ledger knows promotions: releases before 1.1.0 have none. Result: found. Locks: none.
-- Not null: found.
SELECT to_regclass('searchmill.promotions') IS NOT NULL AS found;
