-- What pages and boards ask beside their panels.

-- name: dashboards/find-things
-- Keywords, prompts, pages, sites and topics of an account that have a text, in the newest week of each dataset.
-- Params: :accountId, :wanted, :most: how many of each kind.
-- Result: those that are equal to the text first (place 1), then those that begin with it (2), then the others (3), the first of each
-- kind before the second of any; variable is the kind, found how many of the kind there are in all. Locks: none.
-- Not null: variable, value, place, found.
SELECT variable, value, place, found
  FROM search_reports.find_things(:accountId, :wanted, :most) WITH ORDINALITY AS things (variable, value, place, found, number)
 ORDER BY place, row_number() OVER (PARTITION BY place, variable ORDER BY number), number;

-- name: dashboards/find-uncovered
-- The tables that this transaction has read and whose rows no state covers (read-state.sql): what was made from them may be other at the next
-- moment. Views have no rows of their own. Params: none. Result: names. Locks: none.
-- Not null: name.
SELECT DISTINCT format('%s.%s', n.nspname, c.relname) AS name
  FROM pg_catalog.pg_locks l
  JOIN pg_catalog.pg_class c ON c.oid = l.relation
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND c.relkind IN ('r', 'p', 'm', 'f')
   AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
   AND n.nspname NOT IN ('pg_catalog', 'pg_toast', 'search', 'search_partitions', 'search_stored')
   AND format('%s.%s', n.nspname, c.relname) NOT IN (
         'searchmill.figure_changes', 'searchmill.stale_weeks', 'searchmill.account_logins', 'searchmill.account_settings',
         'searchmill.jobs', 'searchmill.slices', 'searchmill.weeks', 'searchmill.signal_looks', 'searchmill.signals', 'searchmill.week_changes',
         -- Through searchmill.coverage only: the text of a panel that reads the ledger itself is told apart before.
         'searchmill.executions', 'searchmill.pauses', 'searchmill.publications', 'searchmill.annotations', 'searchmill.schema_digests',
         -- Through search_reports.requests only: that of a published load is written before it is published, and is kept as long as it is.
         'searchmill.drift_events',
         -- Changes with figure_changes; what a comparison of the tables notes in it is not shown.
         'searchmill.published_periods', 'searchmill.acknowledgements')
 ORDER BY name;

-- name: dashboards/knows-choice
-- Whether any week of an account has a value of a variable. Params: :variable, :accountId, :value. Result: found. Locks: none.
-- Not null: found.
SELECT search_reports.knows_choice(:variable, :accountId, :value) AS found;

-- name: dashboards/read-newest-week
-- The newest week of some datasets of an account, and of each dataset whether that week is there.
-- Params: :accountId; :datasets; :until, the last day that the week may begin on, or null for any. Locks: none.
-- Not null: dataset, week, state, isPartial.
SELECT w.dataset, w.week::text AS week, w.state, w.reason, w.is_partial AS "isPartial"
  FROM (SELECT d.dataset, s.*, max(s.week) OVER () AS newest
          FROM unnest(:datasets::text[]) AS d (dataset)
         CROSS JOIN LATERAL search_reports.weeks_of(d.dataset, :accountId::bigint) AS s
         WHERE :until::date IS NULL OR s.week <= :until::date) AS w
 WHERE w.week = w.newest
 ORDER BY w.dataset;

-- name: dashboards/read-own-domains
-- The sites that count as our own in figures of an account, and whether they are configured or were found in citations.
-- Params: :accountId. Locks: none.
-- Not null: domain, source.
SELECT domain, source
  FROM search_reports.own_domains o
 WHERE account_id = :accountId::bigint
   AND (source = 'configured'
        OR NOT EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = o.account_id AND c.source = 'configured'))
 ORDER BY domain COLLATE "C";

-- name: dashboards/read-sources
-- Jobs that fill the given datasets: their filters, how new their weeks are, and the weeks that were published with other filters.
-- Params: :datasets; :accountId, or null for all. Locks: none.
-- Not null: job, dataset, account, isConfigured, isEnabled.
SELECT job, dataset, account_id::text AS account, filters, is_configured AS "isConfigured", is_enabled AS "isEnabled", published_at AS "publishedAt",
       newest_week::text AS "newestWeek", weeks_of_other_filters::text[] AS "weeksOfOtherFilters"
  FROM search_reports.sources
 WHERE dataset = ANY (:datasets::text[]) AND (:accountId::bigint IS NULL OR account_id = :accountId::bigint)
 ORDER BY NOT is_configured, dataset, job;

-- name: dashboards/read-state
-- What the figures of an account follow from, but for the rows themselves: two moments with the same answer show the same on every board.
-- Rows of schema search and stored summaries change only together with searchmill.figure_changes or what is read here. Of the ledger it reads
-- what coverage and the filters show, not how far a load has come: a page of rows that a load has fetched changes no chart.
-- Params: :accountId. Result: state, a digest. Locks: none.
-- Not null: state.
-- Planned once.
SELECT md5(concat_ws('|', :accountId, current_user, changes, marks, jobs, slices, weeks, held, left_rows, notes, looks, settings,
                     definitions, rights)) AS state
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
       (SELECT string_agg(concat_ws(' ', job, acknowledged_at), ',' ORDER BY job) AS left_rows
          FROM searchmill.acknowledgements WHERE kind = 'rows-left') AS left_rows,
       (SELECT md5(string_agg(id::text, ',' ORDER BY id)) AS notes
          FROM searchmill.annotations WHERE account_id = :accountId::bigint OR account_id IS NULL) AS notes,
       -- What has happened to weeks (searchmill.week_changes) comes with figure_changes, and with what is held.
       -- Signals change only with a look, which says when it was.
       (SELECT concat_ws(' ', count(*), max(looked_at)) AS looks FROM searchmill.signal_looks WHERE account_id = :accountId::bigint) AS looks,
       (SELECT md5(string_agg(to_json(a)::text, ',' ORDER BY setting, kind, value)) AS settings
          FROM searchmill.account_settings a WHERE account_id = :accountId::bigint) AS settings,
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
                UNION ALL SELECT concat_ws(' ', roleid, member, xmin) FROM pg_catalog.pg_auth_members) AS rows (row)) AS rights;
