-- How many differences of each kind there are.
SELECT count(*) FILTER (WHERE change = 'insert') AS inserts, count(*) FILTER (WHERE change = 'update') AS updates,
       count(*) FILTER (WHERE change = 'delete') AS deletes
  FROM searchmill_changes
