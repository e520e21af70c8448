-- Other configured jobs of a dataset and account, their questions, and the weeks of a window that are published with these.
-- Params: :job, :dataset, :accountId, :windowStart, :windowEnd. Result: name, filters, weeks (from 0 for the first). Locks: none.
-- Not null: weeks.
SELECT j.name, j.filters,
       ARRAY(SELECT (w.day::date - :windowStart::date) / 7
               FROM generate_series(:windowStart::timestamp, :windowEnd::timestamp, interval '7 days') AS w (day)
              WHERE EXISTS (SELECT FROM searchmill.slices s
                             WHERE s.job = j.name AND w.day::date BETWEEN s.window_start AND s.window_end
                               AND s.published_filters_digest = j.filters_digest)) AS weeks
  FROM searchmill.jobs j
 WHERE j.dataset = :dataset AND j.account_id = :accountId AND j.name <> :job AND j.removed_at IS NULL AND j.enabled
 ORDER BY j.name
