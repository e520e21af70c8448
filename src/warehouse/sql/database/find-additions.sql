-- What people have put on the seven tables and their partitions that may skip, change or refuse rows: triggers and rules that are on, policies, row level security,
-- constraints, unique indexes, and columns that need a value which a load does not give.
-- Params: :dataset, or null for all.
-- Result: dataset, relation, kind, name, detail; those of the tables before those of partitions. What a partition has from its table is told once. Locks: none.
-- Not null: dataset, relation, kind, name, detail.
WITH relations AS (
  SELECT p.relname AS dataset, c.oid, c.oid <> p.oid AS is_partition, c.relrowsecurity, c.oid::regclass::text AS relation
    FROM pg_catalog.pg_class p
   CROSS JOIN LATERAL pg_catalog.pg_partition_tree(p.oid) tree
    JOIN pg_catalog.pg_class c ON c.oid = tree.relid
   WHERE p.relnamespace = 'search'::regnamespace AND p.relkind = 'p' AND (:dataset::text IS NULL OR p.relname = :dataset)
), found AS (
  SELECT r.*, 'trigger' AS kind, t.tgname AS name, substring(pg_catalog.pg_get_triggerdef(t.oid), '(?:BEFORE|AFTER|INSTEAD OF) .*') AS detail
    FROM relations r JOIN pg_catalog.pg_trigger t ON t.tgrelid = r.oid
   WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND t.tgenabled IN ('O', 'A')
  UNION ALL
  SELECT r.*, 'rule', w.rulename, substring(pg_catalog.pg_get_ruledef(w.oid), 'ON .*')
    FROM relations r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid
   WHERE w.ev_enabled IN ('O', 'A')
  UNION ALL
  SELECT r.*, 'policy', p.polname, concat_ws(' ', CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
                                             'USING ' || pg_catalog.pg_get_expr(p.polqual, p.polrelid),
                                             'WITH CHECK ' || pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid))
    FROM relations r JOIN pg_catalog.pg_policy p ON p.polrelid = r.oid
   WHERE r.relrowsecurity
  UNION ALL
  SELECT r.*, 'policy', 'ROW LEVEL SECURITY', 'enabled without a policy: hides all rows from all but the owner'
    FROM relations r
   WHERE r.relrowsecurity AND NOT EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid = r.oid)
  UNION ALL
  SELECT r.*, CASE k.contype WHEN 'f' THEN 'foreign key' ELSE 'constraint' END, k.conname, pg_catalog.pg_get_constraintdef(k.oid)
    FROM relations r JOIN pg_catalog.pg_constraint k ON k.conrelid = r.oid
   WHERE k.contype IN ('f', 'c', 'u', 'x') AND k.conparentid = 0 AND (k.coninhcount = 0 OR NOT r.is_partition)
  UNION ALL
  SELECT r.*, 'foreign key', k.conname, 'of ' || k.conrelid::regclass::text || ', ' || pg_catalog.pg_get_constraintdef(k.oid)
    FROM relations r JOIN pg_catalog.pg_constraint k ON k.confrelid = r.oid
   WHERE k.contype = 'f' AND k.conparentid = 0
  UNION ALL
  SELECT r.*, 'index', i.indexrelid::regclass::text, substring(pg_catalog.pg_get_indexdef(i.indexrelid), 'USING .*')
    FROM relations r JOIN pg_catalog.pg_index i ON i.indrelid = r.oid
   WHERE i.indisunique AND NOT i.indisprimary
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid)
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhrelid = i.indexrelid)
  UNION ALL
  SELECT r.*, 'column', a.attname, 'NOT NULL without a default'
    FROM relations r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
   WHERE NOT r.is_partition AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
     AND a.attname NOT IN ('account_id', 'time_period_start', '_key', '_occurrence', '_slice', '_loaded_at', '_changed_at')
)
SELECT dataset, relation, kind, name, coalesce(detail, '') AS detail FROM found ORDER BY dataset, is_partition, relation, kind, name
