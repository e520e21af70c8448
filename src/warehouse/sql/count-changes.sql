-- How many differences of each kind there are.
SELECT count(*) FILTER (WHERE change = 'insert') AS inserts, count(*) FILTER (WHERE change = 'update') AS updates,
       count(*) FILTER (WHERE change = 'delete') AS deletes, count(*) FILTER (WHERE change = 'take') AS takes,
       count(*) FILTER (WHERE change = 'rest') AS rests
  FROM searchmill_changes
