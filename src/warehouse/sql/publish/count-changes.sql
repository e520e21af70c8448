-- How many differences of each kind there are, and how many of them are rows of other jobs.
-- Not null: inserts, updates, deletes, reassigns, surplus, others.
SELECT count(*) FILTER (WHERE change = 'insert') AS inserts, count(*) FILTER (WHERE change = 'update') AS updates,
       count(*) FILTER (WHERE change = 'delete') AS deletes, count(*) FILTER (WHERE change = 'reassign') AS reassigns,
       count(*) FILTER (WHERE change = 'surplus') AS surplus, count(old_slice) AS others
  FROM searchmill_changes
