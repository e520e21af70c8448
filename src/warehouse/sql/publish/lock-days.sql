-- Lets publishes whose rows may meet go one after another, so that overlapping slices cannot deadlock. Those of other days go side
-- by side. Runs after publish/lock-dataset.
-- Params: :dataset, :accountId, :windowStart, :windowEnd.
-- Locks: up to 100 advisory locks in one order, until the transaction ends; days that lie 100 apart share one.
SELECT pg_advisory_xact_lock(hashtext('searchmill publish ' || :dataset || ' ' || :accountId::bigint), day)
  FROM (SELECT DISTINCT mod(day, 100) AS day
          FROM generate_series(:windowStart::date - date '0001-01-01', least(:windowEnd::date, :windowStart::date + 99) - date '0001-01-01') AS day
         ORDER BY 1
        -- Sorted before anything is locked.
        OFFSET 0) AS days
