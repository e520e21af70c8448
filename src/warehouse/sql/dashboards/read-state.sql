-- What the figures of an account follow from, but for the rows themselves: two moments with the same answer show the same on every board.
-- Rows of schema search and stored summaries change only together with searchmill.figure_changes or what is read here. Of the ledger it reads
-- what coverage and the filters show, not how far a load has come: a page of rows that a load has fetched changes no chart.
-- Params: :accountId. Result: state, a digest. Locks: none.
-- Not null: state.
SELECT md5(concat_ws('|', :accountId, current_user, changes, marks, jobs, slices, weeks, held, notes, looks, domains, competitors, aliases, definitions, rights)) AS state
  FROM (SELECT concat_ws(' ', count(*), sum(id)) AS changes FROM searchmill.figure_changes WHERE account_id = :accountId::bigint) AS changes,
       (SELECT md5(string_agg(concat_ws(' ', id, is_live, failures), ',' ORDER BY id)) AS marks
          FROM searchmill.stale_weeks WHERE account_id = :accountId::bigint) AS marks,
       (SELECT md5(string_agg(concat_ws(' ', name, account_id, dataset, filters, filters_digest, enabled, removed_at, since), ',' ORDER BY name)) AS jobs
          FROM searchmill.jobs) AS jobs,
       (SELECT md5(string_agg(s::text, ',' ORDER BY id)) AS slices FROM searchmill.slices s WHERE account_id = :accountId::bigint) AS slices,
       (SELECT md5(string_agg(concat_ws(' ', job, week, state, is_expected, published_at, published_filters_digest, paused_since), ',' ORDER BY job, week)) AS weeks
          FROM searchmill.coverage
         WHERE job = ANY (ARRAY(SELECT name FROM searchmill.jobs WHERE account_id = :accountId::bigint))) AS weeks,
       -- Annotations. Publications come with figure_changes; those that retention removes are older than any page that is kept.
       (SELECT md5(string_agg(concat_ws(' ', e.id, e.state, e.approved_at), ',' ORDER BY e.id)) AS held
          FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
         WHERE e.held_at IS NOT NULL AND s.account_id = :accountId::bigint) AS held,
       (SELECT md5(string_agg(id::text, ',' ORDER BY id)) AS notes
          FROM searchmill.annotations WHERE account_id = :accountId::bigint OR account_id IS NULL) AS notes,
       -- What has happened to weeks (searchmill.week_changes) comes with figure_changes, and with what is held.
       -- Signals change only with a look, which says when it was.
       (SELECT concat_ws(' ', count(*), max(looked_at)) AS looks FROM searchmill.signal_looks WHERE account_id = :accountId::bigint) AS looks,
       (SELECT md5(string_agg(concat_ws(' ', domain, source), ',' ORDER BY source, domain)) AS domains
          FROM searchmill.own_domains WHERE account_id = :accountId::bigint) AS domains,
       (SELECT md5(string_agg(domain, ',' ORDER BY domain)) AS competitors
          FROM searchmill.competitors WHERE account_id = :accountId::bigint) AS competitors,
       (SELECT md5(string_agg(to_json(a)::text, ',' ORDER BY kind, spelling)) AS aliases
          FROM searchmill.aliases a WHERE account_id = :accountId::bigint) AS aliases,
       (SELECT concat_ws(' ', count(*), max(applied_at)) AS definitions FROM searchmill.schema_digests) AS definitions,
       -- Views, their rules and rights, policies, and the roles and accounts that somebody was given. An xmin changes with its row, and never otherwise.
       (SELECT md5(string_agg(row, ',' ORDER BY row)) AS rights
          FROM (SELECT concat_ws(' ', c.oid, c.xmin, c.relacl, c.relrowsecurity) AS row
                  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname IN ('search', 'search_reports', 'search_stored', 'searchmill') AND c.relkind IN ('r', 'p', 'v')
                UNION ALL SELECT concat_ws(' ', nspname, nspacl) FROM pg_catalog.pg_namespace WHERE nspname LIKE 'search%'
                UNION ALL SELECT concat_ws(' ', p.oid, p.xmin) FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
                           WHERE n.nspname = 'search_reports'
                UNION ALL SELECT concat_ws(' ', oid, xmin) FROM pg_catalog.pg_policy
                UNION ALL SELECT concat_ws(' ', login, account_id) FROM searchmill.account_logins
                UNION ALL SELECT concat_ws(' ', oid, rolsuper, rolbypassrls) FROM pg_catalog.pg_roles WHERE rolname = current_user
                UNION ALL SELECT concat_ws(' ', roleid, member, xmin) FROM pg_catalog.pg_auth_members) AS rows (row)) AS rights
