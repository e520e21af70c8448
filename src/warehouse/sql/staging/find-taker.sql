-- To whom a staging table that this session has just made was given away, and which event triggers may have done that. Params: :name.
-- Result: owner, triggers; no row if the table is still this role's. Locks: none.
-- Not null: owner, triggers.
SELECT pg_get_userbyid(c.relowner)::text AS owner,
       coalesce((SELECT string_agg(format('%I (%s)', t.evtname, t.evtfoid::regprocedure), ', ' ORDER BY t.evtname)
                   FROM pg_catalog.pg_event_trigger t WHERE t.evtenabled IN ('O', 'A') AND t.evtevent = 'ddl_command_end'), '') AS triggers
  FROM pg_catalog.pg_class c
 WHERE c.relnamespace = 'searchmill_staging'::regnamespace AND c.relname = :name AND NOT pg_has_role(c.relowner, 'USAGE')
