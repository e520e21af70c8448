-- Summaries for dashboards: schema search_reports. Each summary is a view. Its rows of a week are stored in <summary>_stored; while
-- the week is marked stale, the view computes them from the tables of schema search. The function compute_<summary> defines
-- what is stored and what is computed, so a reader sees the same figures either way.
-- Whoever publishes marks the weeks in the same transaction, by a trigger: processes of earlier releases mark, too. A refresh stores a
-- marked week anew and removes its marks, in one transaction of isolation REPEATABLE READ; marks set meanwhile stay.
-- Guarantees: what a summary shows is what its function computes at that moment. Weeks whose mark is not live are left out, and the view
-- search_reports.weeks says so. Weeks that are in the tables already are marked so: the service summarises them, the newest first.
-- Locks: searchmill.publications against writers, until the transaction ends. The tables are not rewritten; of each, only the
-- index is read.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE SCHEMA search_reports;
COMMENT ON SCHEMA search_reports IS 'Summaries for dashboards, by account and week; they agree with the tables of schema search at every moment.';

CREATE FUNCTION search_reports.week_of(day date) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT day - extract(dow FROM day)::integer $$;
COMMENT ON FUNCTION search_reports.week_of IS 'The Sunday that begins the week of a day.';

CREATE FUNCTION search_reports.subjects_of(dataset text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE dataset WHEN 'keyword_rankings' THEN '{rankings}'
                          WHEN 'ai_search_response' THEN '{answers}'
                          WHEN 'ai_search_brands' THEN '{answers}'
                          WHEN 'ai_search_citations' THEN '{citations,answers}'
                          WHEN 'ai_search_sentiments' THEN '{sentiments}'
                          WHEN 'ai_search_fan_out' THEN '{fan_out}'
                          ELSE '{}' END::text[] $$;
COMMENT ON FUNCTION search_reports.subjects_of IS 'The subjects whose summaries are made from a dataset. rankings: ranking_*; answers: ai_answers; citations: ai_citation_sites and ai_cited_pages; sentiments: ai_sentiments; fan_out: ai_fan_out.';

-- Marks ---------------------------------------------------------------------------------------------------------------

CREATE TABLE search_reports.stale_weeks (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subject    text        NOT NULL CHECK (subject IN ('rankings', 'answers', 'citations', 'sentiments', 'fan_out')),
  account_id bigint      NOT NULL,
  week       date        NOT NULL CHECK (week = search_reports.week_of(week)),
  marked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  is_live    boolean     NOT NULL DEFAULT true,
  failures   integer     NOT NULL DEFAULT 0,
  failed_at  timestamptz,
  error      text
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX stale_weeks_week ON search_reports.stale_weeks (subject, account_id, week);
COMMENT ON TABLE search_reports.stale_weeks IS 'Marks: weeks whose stored summaries are out of date. A refresh removes them.';
COMMENT ON COLUMN search_reports.stale_weeks.id IS 'Number of the mark.';
COMMENT ON COLUMN search_reports.stale_weeks.subject IS 'Which summaries: rankings, answers, citations, sentiments or fan_out.';
COMMENT ON COLUMN search_reports.stale_weeks.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.stale_weeks.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.stale_weeks.marked_at IS 'When it was marked.';
COMMENT ON COLUMN search_reports.stale_weeks.is_live IS 'True: readers compute the week. False: readers leave it out, since too many weeks are marked at once, or its refresh fails.';
COMMENT ON COLUMN search_reports.stale_weeks.failures IS 'Refreshes of it that failed.';
COMMENT ON COLUMN search_reports.stale_weeks.failed_at IS 'When the last one failed.';
COMMENT ON COLUMN search_reports.stale_weeks.error IS 'Why it failed.';

CREATE VIEW search_reports.live_weeks AS
SELECT subject, account_id, week FROM search_reports.stale_weeks GROUP BY subject, account_id, week HAVING bool_and(is_live);
COMMENT ON VIEW search_reports.live_weeks IS 'Marked weeks that readers compute.';
COMMENT ON COLUMN search_reports.live_weeks.subject IS 'Which summaries.';
COMMENT ON COLUMN search_reports.live_weeks.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.live_weeks.week IS 'Sunday that begins the week.';

-- Runs in the transaction that publishes or replays, when it has written what it changed. The rows of a slice that nobody ever approved are
-- inside its window; those of an approved one may be anywhere: the differences say where, or the staged rows.
CREATE FUNCTION search_reports.mark_publication() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  slice   searchmill.slices;
  changes text := 'searchmill_staging.' || quote_ident('execution_' || NEW.execution_id);
BEGIN
  SELECT * INTO slice FROM searchmill.slices WHERE id = NEW.slice_id;
  INSERT INTO search_reports.stale_weeks (subject, account_id, week)
  SELECT subject, slice.account_id, week::date
    FROM unnest(search_reports.subjects_of(slice.dataset)) AS subject,
         generate_series(search_reports.week_of(slice.window_start)::timestamp, slice.window_end::timestamp, interval '7 days') AS week;
  IF EXISTS (SELECT FROM searchmill.executions WHERE slice_id = slice.id AND approved_at IS NOT NULL) THEN
    IF to_regclass('pg_temp.searchmill_changes') IS NOT NULL THEN
      changes := 'pg_temp.searchmill_changes';
    END IF;
    EXECUTE format('INSERT INTO search_reports.stale_weeks (subject, account_id, week)
                    SELECT subject, account_id, week
                      FROM (SELECT DISTINCT account_id, search_reports.week_of(time_period_start) AS week FROM %s) AS changed,
                           unnest(search_reports.subjects_of(%L)) AS subject
                     WHERE account_id <> %s OR week NOT BETWEEN search_reports.week_of(%L) AND %L',
                   changes, slice.dataset, slice.account_id, slice.window_start, slice.window_end);
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION search_reports.mark_publication IS 'Marks the weeks that a publication, or a replay into it, has changed.';

CREATE TRIGGER mark_inserted AFTER INSERT ON searchmill.publications
  FOR EACH ROW WHEN (NEW.rows_inserted + NEW.rows_updated + NEW.rows_deleted > 0)
  EXECUTE FUNCTION search_reports.mark_publication();
CREATE TRIGGER mark_updated AFTER UPDATE ON searchmill.publications
  FOR EACH ROW WHEN (NEW.rows_inserted + NEW.rows_updated + NEW.rows_deleted <> OLD.rows_inserted + OLD.rows_updated + OLD.rows_deleted)
  EXECUTE FUNCTION search_reports.mark_publication();

-- Own domains ---------------------------------------------------------------------------------------------------------

CREATE TABLE search_reports.own_domains (
  account_id bigint NOT NULL,
  domain     text   NOT NULL,
  source     text   NOT NULL CHECK (source IN ('configured', 'cited')),
  PRIMARY KEY (account_id, source, domain)
);
COMMENT ON TABLE search_reports.own_domains IS 'Domains of the account itself: those that its jobs are configured with, else those of citations attributed to You.';
COMMENT ON COLUMN search_reports.own_domains.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.own_domains.domain IS 'Domain in lower case, without www.';
COMMENT ON COLUMN search_reports.own_domains.source IS 'configured (own_domains in jobs.config.yaml) or cited. Cited ones count where none is configured.';

CREATE TABLE search_reports.own_domain_changes (
  account_id bigint PRIMARY KEY,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE search_reports.own_domain_changes IS 'When the own domains of an account last changed. A refresh of rankings holds the row, so that none stores a week with domains that change meanwhile.';
COMMENT ON COLUMN search_reports.own_domain_changes.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.own_domain_changes.changed_at IS 'When.';

CREATE FUNCTION search_reports.own_patterns(account bigint) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT coalesce(array_agg('%.' || regexp_replace(domain, '([\\%_])', '\\\1', 'g') ORDER BY domain COLLATE "C"), '{}')
    FROM search_reports.own_domains o
   WHERE account_id = account
     AND source = CASE WHEN EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = account AND c.source = 'configured')
                       THEN 'configured' ELSE 'cited' END
$$;
COMMENT ON FUNCTION search_reports.own_patterns IS 'Patterns of LIKE for the own domains of an account: one matches a domain with a point before it when it is an own one or lies below one.';

CREATE FUNCTION search_reports.bare_domain(domain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT left(regexp_replace(lower(domain COLLATE "C"), '^www\.', ''), 253) $$;
COMMENT ON FUNCTION search_reports.bare_domain IS 'A domain in lower case, without www.; at most 253 characters, as domains have.';

CREATE FUNCTION search_reports.bare_url(url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT regexp_replace(url, '^([a-z]+://)?(www\.)?', '', 'i') $$;
COMMENT ON FUNCTION search_reports.bare_url IS 'A URL without scheme and www., for comparing.';

-- Stored summaries ----------------------------------------------------------------------------------------------------

CREATE TABLE search_reports.ranking_searches_stored (
  account_id       bigint NOT NULL,
  week             date NOT NULL,
  search_key       uuid NOT NULL,
  period_start     date NOT NULL,
  period_end       date,
  web_property_id  bigint,
  search_engine    text,
  country          text,
  language         text,
  locode           text,
  device           text,
  query            text,
  keyword_groups   text[] NOT NULL,
  volume           bigint,
  results          integer NOT NULL,
  deepest_standard integer,
  deepest_true     integer,
  own_standard     integer,
  own_true         integer,
  own_url_standard text,
  own_url_true     text,
  own_results      integer NOT NULL
);
CREATE INDEX ranking_searches_week ON search_reports.ranking_searches_stored (account_id, week);
COMMENT ON TABLE search_reports.ranking_searches_stored IS 'One row per tracked search, period and week: its volume, its groups and the best own result.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.search_key IS 'Names the search, the same in every week: MD5 over its web property, engine, country, language, location, device and query.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.period_start IS 'First day of the reported period; the week holds it.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.web_property_id IS 'Web property the searches are tracked for.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.search_engine IS 'Search engine, such as GOOGLE.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.country IS 'Country code of the search engine.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.language IS 'Language code of the search engine.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.locode IS 'Location code.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.query IS 'The keyword.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.keyword_groups IS 'Names of its keyword groups; as one item where a name may hold a comma.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.volume IS 'Average monthly searches, else their approximate number; NULL without either.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.results IS 'Results that were loaded.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.deepest_standard IS 'Deepest place of a result by standard rank.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.deepest_true IS 'Deepest place of a result by true rank.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.own_standard IS 'Best place of an own result by standard rank; NULL when there is none.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.own_true IS 'Best place of an own result by true rank; NULL when there is none.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.own_url_standard IS 'URL of the best own result by standard rank.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.own_url_true IS 'URL of the best own result by true rank.';
COMMENT ON COLUMN search_reports.ranking_searches_stored.own_results IS 'Own results that were loaded.';

CREATE TABLE search_reports.ranking_sites_stored (
  account_id         bigint NOT NULL,
  week               date NOT NULL,
  web_property_id    bigint,
  search_engine      text,
  country            text,
  device             text,
  site               text,
  is_own             boolean NOT NULL,
  standard_1         integer NOT NULL,
  standard_3         integer NOT NULL,
  standard_5         integer NOT NULL,
  standard_10        integer NOT NULL,
  standard_20        integer NOT NULL,
  true_1             integer NOT NULL,
  true_3             integer NOT NULL,
  true_5             integer NOT NULL,
  true_10            integer NOT NULL,
  true_20            integer NOT NULL,
  standard_1_volume  numeric NOT NULL,
  standard_3_volume  numeric NOT NULL,
  standard_5_volume  numeric NOT NULL,
  standard_10_volume numeric NOT NULL,
  standard_20_volume numeric NOT NULL,
  true_1_volume      numeric NOT NULL,
  true_3_volume      numeric NOT NULL,
  true_5_volume      numeric NOT NULL,
  true_10_volume     numeric NOT NULL,
  true_20_volume     numeric NOT NULL
);
CREATE INDEX ranking_sites_week ON search_reports.ranking_sites_stored (account_id, week);
CREATE INDEX ranking_sites_site ON search_reports.ranking_sites_stored (account_id, site, week);
COMMENT ON TABLE search_reports.ranking_sites_stored IS 'One row per site: how often it is among the first places, for market shares.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.web_property_id IS 'Web property the searches are tracked for.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.search_engine IS 'Search engine, such as GOOGLE.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.country IS 'Country code of the search engine.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.site IS 'Root domain of the results, its first 253 characters.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.is_own IS 'Whether the root domain is an own one, or lies below one.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_1 IS 'Results of the site on the first place by standard rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_3 IS 'Results of the site within the first 3 places by standard rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_5 IS 'Results of the site within the first 5 places by standard rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_10 IS 'Results of the site within the first 10 places by standard rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_20 IS 'Results of the site within the first 20 places by standard rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_1 IS 'Results of the site on the first place by true rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_3 IS 'Results of the site within the first 3 places by true rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_5 IS 'Results of the site within the first 5 places by true rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_10 IS 'Results of the site within the first 10 places by true rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_20 IS 'Results of the site within the first 20 places by true rank.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_1_volume IS 'The same by standard rank, each result counted with the volume of its search.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_3_volume IS 'The same by standard rank, each result counted with the volume of its search.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_5_volume IS 'The same by standard rank, each result counted with the volume of its search.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_10_volume IS 'The same by standard rank, each result counted with the volume of its search.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.standard_20_volume IS 'The same by standard rank, each result counted with the volume of its search.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_1_volume IS 'The same by true rank, each result counted with the volume of its search.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_3_volume IS 'The same by true rank, each result counted with the volume of its search.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_5_volume IS 'The same by true rank, each result counted with the volume of its search.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_10_volume IS 'The same by true rank, each result counted with the volume of its search.';
COMMENT ON COLUMN search_reports.ranking_sites_stored.true_20_volume IS 'The same by true rank, each result counted with the volume of its search.';

CREATE TABLE search_reports.ranking_totals_stored (
  account_id             bigint NOT NULL,
  week                   date NOT NULL,
  web_property_id        bigint,
  search_engine          text,
  country                text,
  device                 text,
  searches               integer NOT NULL,
  searches_with_volume   integer NOT NULL,
  volume                 numeric NOT NULL,
  standard_1             integer NOT NULL,
  standard_2_3           integer NOT NULL,
  standard_4_10          integer NOT NULL,
  standard_11_20         integer NOT NULL,
  standard_beyond        integer NOT NULL,
  standard_absent        integer NOT NULL,
  true_1                 integer NOT NULL,
  true_2_3               integer NOT NULL,
  true_4_10              integer NOT NULL,
  true_11_20             integer NOT NULL,
  true_beyond            integer NOT NULL,
  true_absent            integer NOT NULL,
  standard_1_volume      numeric NOT NULL,
  standard_2_3_volume    numeric NOT NULL,
  standard_4_10_volume   numeric NOT NULL,
  standard_11_20_volume  numeric NOT NULL,
  standard_beyond_volume numeric NOT NULL,
  standard_absent_volume numeric NOT NULL,
  true_1_volume          numeric NOT NULL,
  true_2_3_volume        numeric NOT NULL,
  true_4_10_volume       numeric NOT NULL,
  true_11_20_volume      numeric NOT NULL,
  true_beyond_volume     numeric NOT NULL,
  true_absent_volume     numeric NOT NULL,
  standard_place_sum     bigint NOT NULL,
  true_place_sum         bigint NOT NULL
);
CREATE INDEX ranking_totals_week ON search_reports.ranking_totals_stored (account_id, week);
COMMENT ON TABLE search_reports.ranking_totals_stored IS 'Tracked searches by the best place of their own results, and what market shares are divided by.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.web_property_id IS 'Web property the searches are tracked for.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.search_engine IS 'Search engine, such as GOOGLE.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.country IS 'Country code of the search engine.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.searches IS 'Tracked searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.searches_with_volume IS 'Of them, those whose volume is known.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.volume IS 'Sum of their volumes.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_1 IS 'Searches whose best own result by standard rank is on place 1.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_2_3 IS 'Searches whose best own result by standard rank is on places 2 and 3.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_4_10 IS 'Searches whose best own result by standard rank is on places 4 to 10.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_11_20 IS 'Searches whose best own result by standard rank is on places 11 to 20.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_beyond IS 'Searches whose best own result by standard rank is beyond place 20.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_absent IS 'Searches without an own result by standard rank.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_1 IS 'Searches whose best own result by true rank is on place 1.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_2_3 IS 'Searches whose best own result by true rank is on places 2 and 3.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_4_10 IS 'Searches whose best own result by true rank is on places 4 to 10.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_11_20 IS 'Searches whose best own result by true rank is on places 11 to 20.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_beyond IS 'Searches whose best own result by true rank is beyond place 20.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_absent IS 'Searches without an own result by true rank.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_1_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_2_3_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_4_10_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_11_20_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_beyond_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_absent_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_1_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_2_3_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_4_10_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_11_20_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_beyond_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_absent_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.standard_place_sum IS 'Sum of the best own places by standard rank, over searches that have one.';
COMMENT ON COLUMN search_reports.ranking_totals_stored.true_place_sum IS 'Sum of the best own places by true rank, over searches that have one.';

CREATE TABLE search_reports.ranking_groups_stored (
  account_id         bigint NOT NULL,
  week               date NOT NULL,
  web_property_id    bigint,
  search_engine      text,
  country            text,
  device             text,
  keyword_group      text NOT NULL,
  searches           integer NOT NULL,
  volume             numeric NOT NULL,
  standard_3         integer NOT NULL,
  standard_10        integer NOT NULL,
  true_3             integer NOT NULL,
  true_10            integer NOT NULL,
  standard_3_volume  numeric NOT NULL,
  standard_10_volume numeric NOT NULL,
  true_3_volume      numeric NOT NULL,
  true_10_volume     numeric NOT NULL
);
CREATE INDEX ranking_groups_week ON search_reports.ranking_groups_stored (account_id, week);
COMMENT ON TABLE search_reports.ranking_groups_stored IS 'Tracked searches by keyword group, and those with an own result among the first places.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.web_property_id IS 'Web property the searches are tracked for.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.search_engine IS 'Search engine, such as GOOGLE.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.country IS 'Country code of the search engine.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.keyword_group IS 'Name of the keyword group; a search counts in each of its groups.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.searches IS 'Tracked searches.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.volume IS 'Sum of their volumes.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.standard_3 IS 'Searches with an own result within the first 3 places by standard rank.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.standard_10 IS 'Searches with an own result within the first 10 places by standard rank.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.true_3 IS 'Searches with an own result within the first 3 places by true rank.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.true_10 IS 'Searches with an own result within the first 10 places by true rank.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.standard_3_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.standard_10_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.true_3_volume IS 'Volume of these searches.';
COMMENT ON COLUMN search_reports.ranking_groups_stored.true_10_volume IS 'Volume of these searches.';

CREATE TABLE search_reports.ranking_pages_stored (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  search_engine   text,
  country         text,
  device          text,
  url             text,
  searches        integer NOT NULL,
  best_standard   integer,
  best_true       integer
);
CREATE INDEX ranking_pages_week ON search_reports.ranking_pages_stored (account_id, week);
COMMENT ON TABLE search_reports.ranking_pages_stored IS 'One row per own page that ranks.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.web_property_id IS 'Web property the searches are tracked for.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.search_engine IS 'Search engine, such as GOOGLE.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.country IS 'Country code of the search engine.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.url IS 'URL without scheme and www.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.searches IS 'Tracked searches with the page among their results.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.best_standard IS 'Its best place by standard rank.';
COMMENT ON COLUMN search_reports.ranking_pages_stored.best_true IS 'Its best place by true rank.';

CREATE TABLE search_reports.ai_answers_stored (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  prompt_type     text,
  topic           text,
  answers         integer NOT NULL,
  naming_answers  integer NOT NULL
);
CREATE INDEX ai_answers_week ON search_reports.ai_answers_stored (account_id, week);
COMMENT ON TABLE search_reports.ai_answers_stored IS 'Collected answers of assistants, and those that name a brand of ours.';
COMMENT ON COLUMN search_reports.ai_answers_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ai_answers_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ai_answers_stored.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.ai_answers_stored.assistant IS 'AI search engine.';
COMMENT ON COLUMN search_reports.ai_answers_stored.country IS 'Country: what the location code begins with, in upper case.';
COMMENT ON COLUMN search_reports.ai_answers_stored.prompt_type IS 'Kind of prompt, as brands and citations of the week tell it; NULL where neither does.';
COMMENT ON COLUMN search_reports.ai_answers_stored.topic IS 'Topic of the prompt.';
COMMENT ON COLUMN search_reports.ai_answers_stored.answers IS 'Answers collected: rows of ai_search_response.';
COMMENT ON COLUMN search_reports.ai_answers_stored.naming_answers IS 'Of them, those with a brand or product whose attribution is You.';

CREATE TABLE search_reports.ai_citation_sites_stored (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  prompt_type     text,
  topic           text,
  site            text,
  attribution     text,
  citations       integer NOT NULL
);
CREATE INDEX ai_citation_sites_week ON search_reports.ai_citation_sites_stored (account_id, week);
CREATE INDEX ai_citation_sites_site ON search_reports.ai_citation_sites_stored (account_id, site, week);
CREATE INDEX ai_citation_sites_own ON search_reports.ai_citation_sites_stored (account_id, week, site) WHERE attribution = 'you';
COMMENT ON TABLE search_reports.ai_citation_sites_stored IS 'One row per cited site.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.assistant IS 'AI search engine.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.country IS 'Country: what the location code begins with, in upper case.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.prompt_type IS 'Kind of prompt, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.topic IS 'Topic of the prompt.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.site IS 'Domain of the citations, its first 253 characters.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.attribution IS 'Attribution, such as You or SEO Competitor, in lower case.';
COMMENT ON COLUMN search_reports.ai_citation_sites_stored.citations IS 'Citations.';

CREATE TABLE search_reports.ai_cited_pages_stored (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  prompt_type     text,
  url             text,
  site            text,
  attribution     text,
  citations       integer NOT NULL
);
CREATE INDEX ai_cited_pages_week ON search_reports.ai_cited_pages_stored (account_id, week);
COMMENT ON TABLE search_reports.ai_cited_pages_stored IS 'One row per cited page.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.assistant IS 'AI search engine.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.country IS 'Country: what the location code begins with, in upper case.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.prompt_type IS 'Kind of prompt, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.url IS 'URL without scheme and www.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.site IS 'Domain of the citations, its first 253 characters.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.attribution IS 'Attribution, such as You or SEO Competitor, in lower case.';
COMMENT ON COLUMN search_reports.ai_cited_pages_stored.citations IS 'Citations.';

CREATE TABLE search_reports.ai_sentiments_stored (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  prompt_type     text,
  brand           text,
  positive        integer NOT NULL,
  neutral         integer NOT NULL,
  negative        integer NOT NULL,
  other           integer NOT NULL
);
CREATE INDEX ai_sentiments_week ON search_reports.ai_sentiments_stored (account_id, week);
COMMENT ON TABLE search_reports.ai_sentiments_stored IS 'Mentions of brands by sentiment.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.assistant IS 'AI search engine.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.country IS 'Country: what the location code begins with, in upper case.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.prompt_type IS 'Kind of prompt, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.brand IS 'Brand of the mentions.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.positive IS 'Mentions that are positive.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.neutral IS 'Mentions that are neutral.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.negative IS 'Mentions that are negative.';
COMMENT ON COLUMN search_reports.ai_sentiments_stored.other IS 'Mentions with another sentiment, or none.';

CREATE TABLE search_reports.ai_fan_out_stored (
  account_id         bigint NOT NULL,
  week               date NOT NULL,
  web_property_id    bigint,
  assistant          text,
  country            text,
  prompt_type        text,
  query              text,
  row_count             integer NOT NULL,
  amount_of_searches numeric NOT NULL
);
CREATE INDEX ai_fan_out_week ON search_reports.ai_fan_out_stored (account_id, week);
COMMENT ON TABLE search_reports.ai_fan_out_stored IS 'One row per query that assistants searched for before they answered.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.assistant IS 'AI search engine.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.country IS 'Country: what the location code begins with, in upper case.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.prompt_type IS 'Kind of prompt, such as branded or unbranded.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.query IS 'The fan-out query.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.row_count IS 'Rows of ai_search_fan_out.';
COMMENT ON COLUMN search_reports.ai_fan_out_stored.amount_of_searches IS 'Sum of their amounts of searches.';

-- What summaries are made of ------------------------------------------------------------------------------------------

-- The statistics may know nothing of a week that was published lately, and a plan kept for all weeks reads all partitions: each call is
-- planned for its week, and rows are grouped by hash.
CREATE FUNCTION search_reports.compute_ranking_searches(account bigint, sunday date) RETURNS SETOF search_reports.ranking_searches_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_nestloop = off
AS $$
DECLARE
  own text[] := search_reports.own_patterns(account);
BEGIN
  RETURN QUERY
  WITH searches AS MATERIALIZED (
    SELECT time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
           search_engine_language_code, locode, device, query,
           coalesce(max(keyword_group_ids COLLATE "C"), '') AS ids, coalesce(max(keyword_group_names COLLATE "C"), '') AS names,
           max(volume) AS volume, count(*)::integer AS results,
           max(rank_standard) AS deepest_standard, max(rank_true) AS deepest_true,
           min(rank_standard) FILTER (WHERE is_own) AS own_standard, min(rank_true) FILTER (WHERE is_own) AS own_true,
           -- The lowest rank comes first as text, too: ten digits, never below 0.
           min((lpad((rank_standard + 2147483648)::text, 10, '0') || coalesce(normalized_url, '')) COLLATE "C")
             FILTER (WHERE is_own) AS own_url_standard,
           min((lpad((rank_true + 2147483648)::text, 10, '0') || coalesce(normalized_url, '')) COLLATE "C")
             FILTER (WHERE is_own) AS own_url_true,
           (count(*) FILTER (WHERE is_own))::integer AS own_results
      FROM (SELECT time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
                   search_engine_language_code, locode, device, query, keyword_group_ids, keyword_group_names,
                   coalesce(average_search_volume, approximate_search_volume) AS volume, rank_standard, rank_true, normalized_url,
                   coalesce('.' || lower(subdomain COLLATE "C") LIKE ANY (own), false)
                     OR coalesce('.' || lower(root_domain COLLATE "C") LIKE ANY (own), false) AS is_own
              FROM search.keyword_rankings
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
            -- Else is_own would be found out for each of its uses.
            OFFSET 0) AS result
     GROUP BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
              search_engine_language_code, locode, device, query
  ), lists AS (
    -- Few differ, and taking them apart is slow.
    SELECT ids, names,
           CASE WHEN cardinality(searchmill.list_items(names)) IN (0, cardinality(searchmill.list_items(ids)))
                THEN searchmill.list_items(names) ELSE ARRAY[names] END AS keyword_groups
      FROM (SELECT DISTINCT ids, names FROM searches) AS known
  )
  SELECT account, sunday,
         md5(ROW(web_property_id, search_engine, search_engine_country_code, search_engine_language_code, locode, device, query)::text)::uuid,
         time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code, search_engine_language_code,
         locode, device, query, keyword_groups, volume, results, deepest_standard, deepest_true, own_standard, own_true,
         nullif(substr(own_url_standard, 11), ''), nullif(substr(own_url_true, 11), ''), own_results
    FROM searches JOIN lists USING (ids, names);
END
$$;

CREATE FUNCTION search_reports.compute_ranking_sites(account bigint, sunday date) RETURNS SETOF search_reports.ranking_sites_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_nestloop = off
AS $$
DECLARE
  own text[] := search_reports.own_patterns(account);
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, search_engine_country_code, device, site,
         coalesce('.' || lower(site COLLATE "C") LIKE ANY (own), false),
         (count(*) FILTER (WHERE rank_standard <= 1))::integer, (count(*) FILTER (WHERE rank_standard <= 3))::integer,
         (count(*) FILTER (WHERE rank_standard <= 5))::integer, (count(*) FILTER (WHERE rank_standard <= 10))::integer,
         (count(*) FILTER (WHERE rank_standard <= 20))::integer,
         (count(*) FILTER (WHERE rank_true <= 1))::integer, (count(*) FILTER (WHERE rank_true <= 3))::integer,
         (count(*) FILTER (WHERE rank_true <= 5))::integer, (count(*) FILTER (WHERE rank_true <= 10))::integer,
         (count(*) FILTER (WHERE rank_true <= 20))::integer,
         coalesce(sum(volume) FILTER (WHERE rank_standard <= 1), 0), coalesce(sum(volume) FILTER (WHERE rank_standard <= 3), 0),
         coalesce(sum(volume) FILTER (WHERE rank_standard <= 5), 0), coalesce(sum(volume) FILTER (WHERE rank_standard <= 10), 0),
         coalesce(sum(volume) FILTER (WHERE rank_standard <= 20), 0),
         coalesce(sum(volume) FILTER (WHERE rank_true <= 1), 0), coalesce(sum(volume) FILTER (WHERE rank_true <= 3), 0),
         coalesce(sum(volume) FILTER (WHERE rank_true <= 5), 0), coalesce(sum(volume) FILTER (WHERE rank_true <= 10), 0),
         coalesce(sum(volume) FILTER (WHERE rank_true <= 20), 0)
    FROM (SELECT web_property_id, search_engine, search_engine_country_code, device, left(root_domain, 253) AS site, rank_standard, rank_true,
                 coalesce(average_search_volume, approximate_search_volume) AS volume
            FROM search.keyword_rankings
           WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
             AND (rank_standard <= 20 OR rank_true <= 20)) AS result
   GROUP BY web_property_id, search_engine, search_engine_country_code, device, site;
END
$$;

-- From the view: the searches that a refresh has just stored, or those computed now.
CREATE FUNCTION search_reports.compute_ranking_totals(account bigint, sunday date) RETURNS SETOF search_reports.ranking_totals_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 100
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, country, device,
         count(*)::integer, count(volume)::integer, coalesce(sum(volume), 0),
         (count(*) FILTER (WHERE own_standard <= 1))::integer, (count(*) FILTER (WHERE own_standard BETWEEN 2 AND 3))::integer,
         (count(*) FILTER (WHERE own_standard BETWEEN 4 AND 10))::integer, (count(*) FILTER (WHERE own_standard BETWEEN 11 AND 20))::integer,
         (count(*) FILTER (WHERE own_standard > 20))::integer, (count(*) FILTER (WHERE own_standard IS NULL))::integer,
         (count(*) FILTER (WHERE own_true <= 1))::integer, (count(*) FILTER (WHERE own_true BETWEEN 2 AND 3))::integer,
         (count(*) FILTER (WHERE own_true BETWEEN 4 AND 10))::integer, (count(*) FILTER (WHERE own_true BETWEEN 11 AND 20))::integer,
         (count(*) FILTER (WHERE own_true > 20))::integer, (count(*) FILTER (WHERE own_true IS NULL))::integer,
         coalesce(sum(volume) FILTER (WHERE own_standard <= 1), 0), coalesce(sum(volume) FILTER (WHERE own_standard BETWEEN 2 AND 3), 0),
         coalesce(sum(volume) FILTER (WHERE own_standard BETWEEN 4 AND 10), 0), coalesce(sum(volume) FILTER (WHERE own_standard BETWEEN 11 AND 20), 0),
         coalesce(sum(volume) FILTER (WHERE own_standard > 20), 0), coalesce(sum(volume) FILTER (WHERE own_standard IS NULL), 0),
         coalesce(sum(volume) FILTER (WHERE own_true <= 1), 0), coalesce(sum(volume) FILTER (WHERE own_true BETWEEN 2 AND 3), 0),
         coalesce(sum(volume) FILTER (WHERE own_true BETWEEN 4 AND 10), 0), coalesce(sum(volume) FILTER (WHERE own_true BETWEEN 11 AND 20), 0),
         coalesce(sum(volume) FILTER (WHERE own_true > 20), 0), coalesce(sum(volume) FILTER (WHERE own_true IS NULL), 0),
         coalesce(sum(own_standard), 0), coalesce(sum(own_true), 0)
    FROM search_reports.ranking_searches
   WHERE account_id = account AND week = sunday
   GROUP BY web_property_id, search_engine, country, device;
END
$$;

CREATE FUNCTION search_reports.compute_ranking_groups(account bigint, sunday date) RETURNS SETOF search_reports.ranking_groups_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, country, device, keyword_group, count(*)::integer, coalesce(sum(volume), 0),
         (count(*) FILTER (WHERE own_standard <= 3))::integer, (count(*) FILTER (WHERE own_standard <= 10))::integer,
         (count(*) FILTER (WHERE own_true <= 3))::integer, (count(*) FILTER (WHERE own_true <= 10))::integer,
         coalesce(sum(volume) FILTER (WHERE own_standard <= 3), 0), coalesce(sum(volume) FILTER (WHERE own_standard <= 10), 0),
         coalesce(sum(volume) FILTER (WHERE own_true <= 3), 0), coalesce(sum(volume) FILTER (WHERE own_true <= 10), 0)
    FROM search_reports.ranking_searches CROSS JOIN LATERAL (SELECT DISTINCT unnest(keyword_groups) AS keyword_group) AS groups
   WHERE account_id = account AND week = sunday
   GROUP BY web_property_id, search_engine, country, device, keyword_group;
END
$$;

CREATE FUNCTION search_reports.compute_ranking_pages(account bigint, sunday date) RETURNS SETOF search_reports.ranking_pages_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
DECLARE
  own text[] := search_reports.own_patterns(account);
BEGIN
  RETURN QUERY
  SELECT account, sunday, web_property_id, search_engine, search_engine_country_code, device, url, count(*)::integer,
         min(best_standard), min(best_true)
    FROM (SELECT web_property_id, search_engine, search_engine_country_code, device, search_reports.bare_url(normalized_url) AS url,
                 min(rank_standard) AS best_standard, min(rank_true) AS best_true
            FROM search.keyword_rankings
           WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
             AND ('.' || lower(subdomain COLLATE "C") LIKE ANY (own) OR '.' || lower(root_domain COLLATE "C") LIKE ANY (own))
           GROUP BY time_period_start, time_period_end, web_property_id, search_engine, search_engine_country_code,
                    search_engine_language_code, locode, device, query, search_reports.bare_url(normalized_url)) AS found
   GROUP BY web_property_id, search_engine, search_engine_country_code, device, url;
END
$$;

CREATE FUNCTION search_reports.country_of(locode text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT upper(substring(locode FROM '^[^ -]+')) $$;
COMMENT ON FUNCTION search_reports.country_of IS 'The country that a location code begins with, in upper case.';

CREATE FUNCTION search_reports.compute_ai_answers(account bigint, sunday date) RETURNS SETOF search_reports.ai_answers_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off SET enable_nestloop = off
AS $$
BEGIN
  RETURN QUERY
  WITH kinds AS (
    SELECT k.web_property_id, k.prompt, max(k.prompt_type COLLATE "C") AS prompt_type
      FROM (SELECT web_property_id, prompt, prompt_type FROM search.ai_search_brands
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
            UNION ALL
            SELECT web_property_id, prompt, prompt_type FROM search.ai_search_citations
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6) AS k
     GROUP BY k.web_property_id, k.prompt
  ), collected AS (
    SELECT r.web_property_id, r.ai_search_engine, r.locode, r.topic, r.prompt, count(*) FILTER (WHERE r.is_answer) AS answers,
           bool_or(NOT r.is_answer) AS is_naming
      FROM (SELECT web_property_id, collection_frequency, time_period_start, time_period_end, locode, language, ai_search_engine, topic, prompt,
                   persona, true AS is_answer
              FROM search.ai_search_response
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
            UNION ALL
            SELECT web_property_id, collection_frequency, time_period_start, time_period_end, locode, language, ai_search_engine, topic, prompt,
                   persona, false
              FROM search.ai_search_brands
             WHERE account_id = account AND time_period_start BETWEEN sunday AND sunday + 6
               AND lower(brand_or_product_attribution) = 'you') AS r
     GROUP BY r.web_property_id, r.collection_frequency, r.time_period_start, r.time_period_end, r.locode, r.language, r.ai_search_engine, r.topic,
              r.prompt, r.persona
    HAVING count(*) FILTER (WHERE r.is_answer) > 0
  )
  SELECT account, sunday, c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), k.prompt_type, c.topic,
         sum(c.answers)::integer, coalesce(sum(c.answers) FILTER (WHERE c.is_naming), 0)::integer
    FROM collected c LEFT JOIN kinds k ON k.prompt = c.prompt AND k.web_property_id IS NOT DISTINCT FROM c.web_property_id
   GROUP BY c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), k.prompt_type, c.topic;
END
$$;

CREATE FUNCTION search_reports.compute_ai_citation_sites(account bigint, sunday date) RETURNS SETOF search_reports.ai_citation_sites_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 2000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), c.prompt_type, c.topic,
         left(c.citation_domain, 253), lower(c.citation_attribution), count(*)::integer
    FROM search.ai_search_citations c
   WHERE c.account_id = account AND c.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7, 8, 9;
END
$$;

CREATE FUNCTION search_reports.compute_ai_cited_pages(account bigint, sunday date) RETURNS SETOF search_reports.ai_cited_pages_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, c.web_property_id, c.ai_search_engine, search_reports.country_of(c.locode), c.prompt_type,
         search_reports.bare_url(c.citation_url), left(c.citation_domain, 253), lower(c.citation_attribution), count(*)::integer
    FROM search.ai_search_citations c
   WHERE c.account_id = account AND c.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7, 8, 9;
END
$$;

CREATE FUNCTION search_reports.compute_ai_sentiments(account bigint, sunday date) RETURNS SETOF search_reports.ai_sentiments_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 500
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, s.web_property_id, s.ai_search_engine, search_reports.country_of(s.locode), s.prompt_type, s.sentiment_brand,
         (count(*) FILTER (WHERE lower(s.sentiment_value) = 'positive'))::integer,
         (count(*) FILTER (WHERE lower(s.sentiment_value) = 'neutral'))::integer,
         (count(*) FILTER (WHERE lower(s.sentiment_value) = 'negative'))::integer,
         (count(*) FILTER (WHERE coalesce(lower(s.sentiment_value), '') NOT IN ('positive', 'neutral', 'negative')))::integer
    FROM search.ai_search_sentiments s
   WHERE s.account_id = account AND s.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7;
END
$$;

CREATE FUNCTION search_reports.compute_ai_fan_out(account bigint, sunday date) RETURNS SETOF search_reports.ai_fan_out_stored
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS 5000
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_sort = off
AS $$
BEGIN
  RETURN QUERY
  SELECT account, sunday, f.web_property_id, f.ai_search_engine, search_reports.country_of(f.locode), f.prompt_type, f.fan_out_query,
         count(*)::integer, coalesce(sum(f.amount_of_searches), 0)
    FROM search.ai_search_fan_out f
   WHERE f.account_id = account AND f.time_period_start BETWEEN sunday AND sunday + 6
   GROUP BY 3, 4, 5, 6, 7;
END
$$;

-- Views ---------------------------------------------------------------------------------------------------------------

-- All alike: the stored rows of weeks without marks, and the computed ones of weeks with live marks. Account and week of the computed
-- ones are the mark's, so that a reader's filters choose the weeks that are computed.
DO $$
DECLARE
  summary record;
  columns text;
BEGIN
  FOR summary IN
    SELECT name, subject FROM (VALUES
      ('ranking_searches', 'rankings'), ('ranking_sites', 'rankings'), ('ranking_totals', 'rankings'), ('ranking_groups', 'rankings'),
      ('ranking_pages', 'rankings'), ('ai_answers', 'answers'), ('ai_citation_sites', 'citations'), ('ai_cited_pages', 'citations'),
      ('ai_sentiments', 'sentiments'), ('ai_fan_out', 'fan_out')) AS known (name, subject)
  LOOP
    SELECT string_agg('c.' || quote_ident(attname), ', ' ORDER BY attnum) INTO columns
      FROM pg_attribute
     WHERE attrelid = format('search_reports.%I', summary.name || '_stored')::regclass AND attnum > 2;
    EXECUTE format(
      'CREATE VIEW search_reports.%1$I AS
       SELECT c.account_id, c.week, %4$s FROM search_reports.%2$I c
        WHERE NOT EXISTS (SELECT FROM search_reports.stale_weeks s
                           WHERE s.subject = %3$L AND s.account_id = c.account_id AND s.week = c.week)
       UNION ALL
       SELECT w.account_id, w.week, %4$s FROM search_reports.live_weeks w
        CROSS JOIN LATERAL search_reports.%5$I(w.account_id, w.week) c
        WHERE w.subject = %3$L',
      summary.name, summary.name || '_stored', summary.subject, columns, 'compute_' || summary.name);
    EXECUTE (SELECT string_agg(format('COMMENT ON %s IS %L', CASE objsubid WHEN 0 THEN format('VIEW search_reports.%I', summary.name)
                                       ELSE format('COLUMN search_reports.%I.%I', summary.name, attname) END, description), '; ')
               FROM pg_description LEFT JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid AND objsubid > 0
              WHERE objoid = format('search_reports.%I', summary.name || '_stored')::regclass AND classoid = 'pg_class'::regclass);
    EXECUTE format('COMMENT ON TABLE search_reports.%I IS %L', summary.name || '_stored',
                   'Stored rows of search_reports.' || summary.name || '. Query the view: some of these may be out of date.');
    EXECUTE format('COMMENT ON FUNCTION search_reports.%I IS %L', 'compute_' || summary.name,
                   'The rows of search_reports.' || summary.name || ' for an account and the week of a Sunday, computed from the tables.');
  END LOOP;
END
$$;

CREATE VIEW search_reports.stored_weeks AS
SELECT DISTINCT 'rankings' AS subject, account_id, week FROM search_reports.ranking_totals_stored
UNION ALL
SELECT DISTINCT 'answers', account_id, week FROM search_reports.ai_answers_stored
UNION ALL
SELECT DISTINCT 'citations', account_id, week FROM search_reports.ai_citation_sites_stored
UNION ALL
SELECT DISTINCT 'sentiments', account_id, week FROM search_reports.ai_sentiments_stored
UNION ALL
SELECT DISTINCT 'fan_out', account_id, week FROM search_reports.ai_fan_out_stored;
COMMENT ON VIEW search_reports.stored_weeks IS 'Weeks that stored summaries have rows of.';
COMMENT ON COLUMN search_reports.stored_weeks.subject IS 'Which summaries.';
COMMENT ON COLUMN search_reports.stored_weeks.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.stored_weeks.week IS 'Sunday that begins the week.';

CREATE VIEW search_reports.weeks AS
SELECT k.dataset, k.account_id, k.week,
       CASE WHEN m.week IS NOT NULL THEN 'summarising' WHEN k.is_held THEN 'held' WHEN k.has_failed THEN 'failed' WHEN k.is_missing THEN 'missing'
            WHEN k.is_running THEN 'running' ELSE 'published' END AS state,
       k.is_published,
       nullif(concat_ws('; ', CASE WHEN m.week IS NOT NULL THEN 'being summarised' END, k.reasons), '') AS reason
  FROM (SELECT j.dataset, j.account_id, search_reports.week_of(c.week) AS week, bool_or(c.state = 'held') AS is_held,
               bool_or(c.state = 'failed') AS has_failed, bool_or(c.state = 'missing') AS is_missing, bool_or(c.state = 'running') AS is_running,
               bool_or(c.published_at IS NOT NULL) AS is_published,
               string_agg(c.state || ' (' || c.job || ')', ', ' ORDER BY c.state, c.job) FILTER (WHERE c.state <> 'published') AS reasons
          FROM searchmill.coverage c JOIN searchmill.jobs j ON j.name = c.job
         WHERE c.is_expected OR c.published_at IS NOT NULL OR c.state IN ('held', 'running')
         GROUP BY j.dataset, j.account_id, search_reports.week_of(c.week)) k
  LEFT JOIN (SELECT subject, account_id, week FROM search_reports.stale_weeks GROUP BY subject, account_id, week HAVING NOT bool_and(is_live)) m
    ON m.subject = (search_reports.subjects_of(k.dataset))[1] AND m.account_id = k.account_id AND m.week = k.week;
COMMENT ON VIEW search_reports.weeks IS 'Dataset x account x week: whether its figures are there, and why not. Charts leave a gap where there are none.';
COMMENT ON COLUMN search_reports.weeks.dataset IS 'Dataset.';
COMMENT ON COLUMN search_reports.weeks.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.weeks.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.weeks.state IS 'summarising: summaries leave the week out until they are made anew. Otherwise the worst state of its jobs, as in searchmill.coverage: held, failed, missing, running or published.';
COMMENT ON COLUMN search_reports.weeks.is_published IS 'Whether any job has published the week. A held or running week may show what was published before.';
COMMENT ON COLUMN search_reports.weeks.reason IS 'What is not as it should be, with the jobs; NULL when nothing.';

-- What the tables hold already ----------------------------------------------------------------------------------------

-- The index leads from one day of an account to the next, so no table is read.
CREATE FUNCTION search_reports.weeks_in_tables() RETURNS TABLE (subject text, account_id bigint, week date)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off
AS $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT dataset, relid::regclass AS name
      FROM unnest('{keyword_rankings,ai_search_response,ai_search_brands,ai_search_citations,ai_search_sentiments,ai_search_fan_out}'::text[])
             AS dataset,
           pg_partition_tree(format('search.%I', dataset)::regclass)
     WHERE isleaf AND parentrelid IS NOT NULL
  LOOP
    RETURN QUERY EXECUTE format('
      WITH RECURSIVE days AS (
        (SELECT account_id, time_period_start FROM %1$s ORDER BY account_id, time_period_start LIMIT 1)
        UNION ALL
        SELECT n.account_id, n.time_period_start
          FROM days d CROSS JOIN LATERAL (
            SELECT p.account_id, p.time_period_start FROM %1$s p
             WHERE (p.account_id, p.time_period_start) > (d.account_id, d.time_period_start)
             ORDER BY p.account_id, p.time_period_start LIMIT 1) n
      )
      SELECT DISTINCT subject, account_id, search_reports.week_of(time_period_start)
        FROM days CROSS JOIN unnest(search_reports.subjects_of(%2$L)) AS subject', part.name, part.dataset);
  END LOOP;
END
$$;
COMMENT ON FUNCTION search_reports.weeks_in_tables IS 'The accounts and weeks that the tables of schema search hold rows of, with the subjects they belong to; a row may come twice.';

-- The trigger is there and publications are locked, so what is not marked here is marked by who publishes it.
INSERT INTO search_reports.stale_weeks (subject, account_id, week, is_live)
SELECT DISTINCT subject, account_id, week, false FROM search_reports.weeks_in_tables();
ANALYZE search_reports.stale_weeks;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_reader') THEN
    GRANT USAGE ON SCHEMA search_reports TO searchmill_reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA search_reports TO searchmill_reader;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA search_reports TO searchmill_reader;
    GRANT EXECUTE ON FUNCTION searchmill.list_items TO searchmill_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search_reports GRANT SELECT ON TABLES TO searchmill_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search_reports GRANT EXECUTE ON FUNCTIONS TO searchmill_reader;
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    GRANT USAGE ON SCHEMA search_reports TO searchmill_writer;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA search_reports TO searchmill_writer;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA search_reports TO searchmill_writer;
    GRANT EXECUTE ON FUNCTION searchmill.list_items TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search_reports GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search_reports GRANT EXECUTE ON FUNCTIONS TO searchmill_writer;
  END IF;
END
$$;
