-- The staging table of one execution: what publishing needs, then the dataset's columns.
-- Locks: none that others wait for.
CREATE TABLE {staging} (
  _key uuid NOT NULL,
  _page integer NOT NULL,
  _position integer NOT NULL,
  _occurrence integer NOT NULL DEFAULT 1,
  {columns},
  _extra jsonb
) WITH (autovacuum_enabled = false)
