-- The staging table of one execution: the dataset's columns, then what publishing needs.
-- Locks: none that others wait for.
CREATE TABLE {staging} (
  {columns},
  _extra jsonb,
  _key uuid NOT NULL,
  _page integer NOT NULL,
  _position integer NOT NULL,
  _occurrence integer NOT NULL DEFAULT 1
) WITH (autovacuum_enabled = false)
