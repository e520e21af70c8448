-- Event triggers that run when a table is made: one that gives it to another role, or grants and revokes, gets into the way of loads.
-- Result: name, function. Locks: none.
-- Not null: name, function.
SELECT t.evtname::text AS name, t.evtfoid::regprocedure::text AS function
  FROM pg_catalog.pg_event_trigger t
 WHERE t.evtenabled IN ('O', 'A') AND t.evtevent IN ('ddl_command_start', 'ddl_command_end')
   AND (t.evttags IS NULL OR t.evttags && ARRAY['CREATE TABLE', 'ALTER TABLE'])
 ORDER BY t.evtname
