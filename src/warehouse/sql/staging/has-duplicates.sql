-- Whether rows may share a key. By the key alone, which is quicker than with what goes before it in the primary key; and by
-- sorting, which takes a third of the time of grouping.
-- Not null: found.
SELECT count(*) <> count(DISTINCT _key) AS found FROM {staging}
