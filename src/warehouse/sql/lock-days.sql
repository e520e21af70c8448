-- Lets publishes whose rows may meet go one after another, so that overlapping slices cannot deadlock; those of other days
-- go side by side. Params: $1 dataset, $2 account, $3 first and $4 last day. Runs after lock-dataset.
-- Locks: up to 100 advisory locks in one order, until the transaction ends; days that lie 100 apart share one.
SELECT pg_advisory_xact_lock(hashtext('searchmill publish ' || $1 || ' ' || $2::bigint), day)
  FROM (SELECT DISTINCT mod(day, 100) AS day
          FROM generate_series($3::date - date '0001-01-01', least($4::date, $3::date + 99) - date '0001-01-01') AS day
         ORDER BY 1
        -- Sorted before anything is locked.
        OFFSET 0) AS days
