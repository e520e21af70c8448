-- Every limit of connections that holds for this session's login role, and how many connections count against it now, this
-- one included. Owners of the server (superusers) have the server's only, and its reserved ones.
-- Result: name, most, used. Locks: none.
-- Not null: name, most, used.
SELECT l.name, l.most,
       (SELECT count(*) FROM pg_catalog.pg_stat_activity a
         WHERE a.usesysid IS NOT NULL AND coalesce(a.backend_type, 'client backend') = 'client backend'
           AND (l.datname IS NULL OR a.datname = l.datname) AND (l.rolname IS NULL OR a.usename = l.rolname)) AS used
  FROM pg_catalog.pg_roles me JOIN pg_catalog.pg_database d ON d.datname = current_database(),
       LATERAL (VALUES
         ('the server (max_connections)',
          current_setting('max_connections')::integer
            - CASE WHEN me.rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::integer
                                                + coalesce(current_setting('reserved_connections', true), '0')::integer END,
          NULL::name, NULL::name),
         ('database ' || d.datname, CASE WHEN me.rolsuper OR d.datconnlimit < 0 THEN NULL ELSE d.datconnlimit END, d.datname, NULL),
         ('role ' || me.rolname, CASE WHEN me.rolsuper OR me.rolconnlimit < 0 THEN NULL ELSE me.rolconnlimit END, NULL, me.rolname)
       ) AS l (name, most, datname, rolname)
 WHERE me.rolname = session_user AND l.most IS NOT NULL
