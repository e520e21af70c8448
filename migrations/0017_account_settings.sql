-- Settings of accounts in one table, in place of own_domains, competitors and aliases.
-- Guarantees: what was configured stays configured, and no week is marked. Views that were built on the three tables read the new one.
-- Processes of 1.0.0 read and write views that have the names and columns of the three tables.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE TABLE searchmill.account_settings (
  account_id bigint NOT NULL,
  setting    text   NOT NULL,
  kind       text   NOT NULL DEFAULT '',
  value      text   NOT NULL,
  meaning    text,
  PRIMARY KEY (account_id, setting, kind, value),
  CHECK (CASE setting WHEN 'own_domains' THEN kind IN ('configured', 'cited')
                      WHEN 'competitors' THEN kind = ''
                      WHEN 'aliases' THEN kind IN ('engine', 'locode', 'language') AND meaning IS NOT NULL
                      WHEN 'brands' THEN kind = '' AND meaning IS NOT NULL
                      ELSE false END)
);
COMMENT ON TABLE searchmill.account_settings IS 'What summaries and panels know of an account beside its rows: one row for each own domain, competitor and alias, and one for all names of brands.';
COMMENT ON COLUMN searchmill.account_settings.setting IS 'own_domains, competitors, aliases or brands.';
COMMENT ON COLUMN searchmill.account_settings.kind IS 'Of an own domain where it comes from: configured (own_domains in jobs.config.yaml) or cited (citations attributed to You). Of an alias what is spelled: engine (of AI search), locode or language.';
COMMENT ON COLUMN searchmill.account_settings.value IS 'A domain in lower case, without www.; of an alias the spelling of the service.';
COMMENT ON COLUMN searchmill.account_settings.meaning IS 'What summaries call a spelling. Of brands their names and what finds them, as JSON (search_reports.brands).';

ALTER TABLE searchmill.own_domains RENAME TO before_0017_own_domains;
ALTER TABLE searchmill.competitors RENAME TO before_0017_competitors;
ALTER TABLE searchmill.aliases RENAME TO before_0017_aliases;

INSERT INTO searchmill.account_settings (account_id, setting, kind, value, meaning)
SELECT account_id, 'own_domains', source, domain, NULL FROM searchmill.before_0017_own_domains
UNION ALL
SELECT account_id, 'competitors', '', domain, NULL FROM searchmill.before_0017_competitors
UNION ALL
SELECT account_id, 'aliases', kind, spelling, meaning FROM searchmill.before_0017_aliases;

-- For processes of 1.0.0. Postgres lets inserts and deletes through such views; what is inserted gets its setting by the default. They keep the comments of
-- the tables and the rights that others were given, and views that others have built read them.
DO $$
DECLARE
  name      text;
  columns   text;
  former    regclass;
  statement text;
BEGIN
  FOR name, columns IN VALUES ('own_domains', 'value AS domain, kind AS source'), ('competitors', 'value AS domain'),
                              ('aliases', 'kind, value AS spelling, meaning') LOOP
    former := format('searchmill.%I', 'before_0017_' || name);
    EXECUTE format('CREATE VIEW searchmill.%I AS SELECT account_id, %s, setting FROM searchmill.account_settings WHERE setting = %L', name, columns, name);
    EXECUTE format('ALTER VIEW searchmill.%I ALTER COLUMN setting SET DEFAULT %L', name, name);
    EXECUTE format('COMMENT ON VIEW searchmill.%I IS %L', name, format('The %s of searchmill.account_settings, for processes of 1.0.0.', name));
    FOR statement IN
      SELECT format('COMMENT ON COLUMN searchmill.%I.%I IS %L', name, attname, col_description(former, attnum))
        FROM pg_catalog.pg_attribute WHERE attrelid = former AND col_description(former, attnum) IS NOT NULL
      UNION ALL
      SELECT format('GRANT %s ON searchmill.%I TO %s%s', g.privilege_type, name,
                    CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END,
                    CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM pg_catalog.pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS g
       WHERE c.oid = former AND g.grantee <> c.relowner
      UNION ALL
      SELECT DISTINCT format('CREATE OR REPLACE VIEW %s %s AS %s', c.oid::regclass, 'WITH (' || array_to_string(c.reloptions, ', ') || ')',
                             replace(pg_get_viewdef(c.oid), 'before_0017_' || name, name))
        FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_rewrite r ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND r.oid = d.objid
        JOIN pg_catalog.pg_class c ON c.oid = r.ev_class AND c.relkind = 'v'
       WHERE d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = former
    LOOP
      EXECUTE statement;
    END LOOP;
  END LOOP;
END
$$;
DROP TABLE searchmill.before_0017_own_domains, searchmill.before_0017_competitors, searchmill.before_0017_aliases;
