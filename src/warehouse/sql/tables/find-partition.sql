-- A partition that takes a whole month of its table now. Its name does not prove that: a detached partition keeps it, and so may one with other
-- bounds.
-- Run it after reading from the table in the same transaction, so that the partition cannot be detached meanwhile.
-- Params: :name, in schema search_partitions; :parent, in schema search; :month, its first day.
-- Result: takesAlone, whether rows may go to it without its table, which then has nothing that sees only what is inserted into itself:
-- statement triggers, rules and policies. No row where it is none.
-- Not null: takesAlone.
SELECT NOT p.relrowsecurity
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_rewrite w WHERE w.ev_class = p.oid AND w.ev_enabled IN ('O', 'A'))
       -- Bit 0: for each row; these are on the partition, too. Bit 2: for INSERT.
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger t
                        WHERE t.tgrelid = p.oid AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
                          AND t.tgtype & 1 = 0 AND t.tgtype & 4 <> 0) AS "takesAlone"
  FROM pg_catalog.pg_inherits i
  JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
 WHERE c.relnamespace = 'search_partitions'::regnamespace AND c.relname = :name
   AND p.relnamespace = 'search'::regnamespace AND p.relname = :parent AND NOT i.inhdetachpending
   AND pg_catalog.pg_get_expr(c.relpartbound, c.oid)
       = pg_catalog.format('FOR VALUES FROM (%L) TO (%L)', :month::date, (:month::date + interval '1 month')::date)
