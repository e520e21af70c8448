-- Lets publishes whose rows may meet go one after another, so that overlapping slices cannot deadlock; those of other days
-- go side by side. Params: $1 dataset, $2 accounts, $3 first and $4 last day.
-- Locks: up to 100 advisory locks an account, in one order, until the transaction ends; days that lie 100 apart share one.
SELECT pg_advisory_xact_lock(account, day)
  FROM (SELECT DISTINCT hashtext('searchmill publish ' || $1 || ' ' || account) AS account, mod(day, 100) AS day
          FROM unnest($2::text[]) AS account,
               generate_series($3::date - date '0001-01-01', least($4::date, $3::date + 99) - date '0001-01-01') AS day
         ORDER BY 1, 2
        -- Sorted before anything is locked.
        OFFSET 0) AS places
