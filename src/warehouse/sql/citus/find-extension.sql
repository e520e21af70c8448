-- Whether the server has Citus, and whether this database uses it. Result: version, null where the server has none; isCreated.
-- Not null: isCreated.
SELECT max(default_version) AS version, coalesce(bool_or(installed_version IS NOT NULL), false) AS "isCreated"
  FROM pg_catalog.pg_available_extensions WHERE name = 'citus'
