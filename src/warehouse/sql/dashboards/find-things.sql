-- Keywords, prompts, pages, sites and topics of an account that have a text, in the newest week of each dataset.
-- Params: :accountId, :wanted, :most: how many of each kind.
-- Result: those that are equal to the text first (place 1), then those that begin with it (2), then the others (3), the first of each
-- kind before the second of any; variable is the kind, found how many of the kind there are in all. Locks: none.
-- Not null: variable, value, place, found.
SELECT variable, value, place, found
  FROM search_reports.find_things(:accountId, :wanted, :most) WITH ORDINALITY AS things (variable, value, place, found, number)
 ORDER BY place, row_number() OVER (PARTITION BY place, variable ORDER BY number), number
