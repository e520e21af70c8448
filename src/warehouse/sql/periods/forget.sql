-- Removes the expected rows of a slice, and of others of its job in its window, before a publication replaces all of them.
-- Params: :sliceId, :job, :accountId, :windowStart, :windowEnd. Locks: the rows it removes, until the transaction ends.
DELETE FROM searchmill.published_periods p
 WHERE p.slice_id = :sliceId
    OR (p.account_id = :accountId AND p.period_start BETWEEN :windowStart AND :windowEnd
        AND p.slice_id IN (SELECT id FROM searchmill.slices WHERE job = :job))
