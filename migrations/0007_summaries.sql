-- Summaries for dashboards. Each summary is a view (repeatable/10_summaries.sql). Its rows of a week are stored in search_stored.<summary>; while the
-- week is marked stale, the view computes them from the tables of schema search. The function compute_<summary> defines what is stored and
-- what is computed, so a reader sees the same figures either way.
-- A publication marks its weeks in the same transaction, by a trigger. A refresh stores a marked week anew and removes its marks, in one
-- transaction of isolation REPEATABLE READ; marks set meanwhile stay.
-- Guarantees: what a summary shows is what its function computes at that moment. Weeks whose mark is not live are left out, and the view
-- search_reports.weeks says so.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

-- Marks ---------------------------------------------------------------------------------------------------------------

CREATE TABLE searchmill.stale_weeks (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subject    text        NOT NULL CHECK (subject IN ('rankings', 'answers', 'citations', 'sentiments', 'fan_out')),
  account_id bigint      NOT NULL,
  week       date        NOT NULL CHECK (extract(dow FROM week) = 0),
  marked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  is_live    boolean     NOT NULL DEFAULT true,
  failures   integer     NOT NULL DEFAULT 0,
  failed_at  timestamptz,
  error      text
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX stale_weeks_week ON searchmill.stale_weeks (subject, account_id, week);
COMMENT ON TABLE searchmill.stale_weeks IS 'Marks: weeks whose stored summaries are out of date. A refresh removes them.';
COMMENT ON COLUMN searchmill.stale_weeks.id IS 'Number of the mark.';
COMMENT ON COLUMN searchmill.stale_weeks.subject IS 'Which summaries: rankings, answers, citations, sentiments or fan_out.';
COMMENT ON COLUMN searchmill.stale_weeks.marked_at IS 'When it was marked.';
COMMENT ON COLUMN searchmill.stale_weeks.is_live IS 'True: readers compute the week. False: readers leave it out, since too many weeks are marked at once, or its refresh fails.';
COMMENT ON COLUMN searchmill.stale_weeks.failures IS 'Refreshes of it that failed.';
COMMENT ON COLUMN searchmill.stale_weeks.failed_at IS 'When the last one failed.';
COMMENT ON COLUMN searchmill.stale_weeks.error IS 'Why it failed.';

-- Only added to, so that no two moments with other figures between them look alike: marks come and go.
CREATE TABLE searchmill.figure_changes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint      NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX figure_changes_account ON searchmill.figure_changes (account_id);
COMMENT ON TABLE searchmill.figure_changes IS 'That figures of an account have changed: a row for each statement that marked weeks, and for each publication. Pages that were read before are as they were when no row has come. Kept for a day.';
COMMENT ON COLUMN searchmill.figure_changes.id IS 'Number of the change.';
COMMENT ON COLUMN searchmill.figure_changes.changed_at IS 'When.';

-- Own domains ---------------------------------------------------------------------------------------------------------

CREATE TABLE searchmill.own_domains (
  account_id bigint NOT NULL,
  domain     text   NOT NULL,
  source     text   NOT NULL CHECK (source IN ('configured', 'cited')),
  PRIMARY KEY (account_id, source, domain)
);
COMMENT ON TABLE searchmill.own_domains IS 'Domains of the account itself: those that its jobs are configured with, else those of citations attributed to You.';
COMMENT ON COLUMN searchmill.own_domains.domain IS 'Domain in lower case, without www.';
COMMENT ON COLUMN searchmill.own_domains.source IS 'configured (own_domains in jobs.config.yaml) or cited. Cited ones count where none is configured.';

CREATE TABLE searchmill.competitors (
  account_id bigint NOT NULL,
  domain     text   NOT NULL,
  PRIMARY KEY (account_id, domain)
);
COMMENT ON TABLE searchmill.competitors IS 'Sites of competitors that the jobs of an account are configured with (competitors in jobs.config.yaml). An account without any has those that citations attribute to SEO Competitor.';
COMMENT ON COLUMN searchmill.competitors.domain IS 'Domain in lower case, without www.';

-- Aliases -------------------------------------------------------------------------------------------------------------

CREATE TABLE searchmill.aliases (
  account_id bigint NOT NULL,
  kind       text   NOT NULL CHECK (kind IN ('engine', 'locode', 'language')),
  spelling   text   NOT NULL,
  meaning    text   NOT NULL,
  PRIMARY KEY (account_id, kind, spelling)
);
COMMENT ON TABLE searchmill.aliases IS 'What is spelled in two ways and means one thing (aliases in jobs.config.yaml). Summaries have the meaning; the rows of schema search stay as served.';
COMMENT ON COLUMN searchmill.aliases.kind IS 'What is spelled: engine (of AI search), locode or language.';
COMMENT ON COLUMN searchmill.aliases.spelling IS 'As the service spells it somewhere.';
COMMENT ON COLUMN searchmill.aliases.meaning IS 'What summaries call it.';

CREATE TABLE searchmill.setting_changes (
  account_id bigint PRIMARY KEY,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE searchmill.setting_changes IS 'When the own domains, competitors or aliases of an account last changed. A refresh holds the row, so that none stores a week with settings that change meanwhile.';
COMMENT ON COLUMN searchmill.setting_changes.changed_at IS 'When.';

-- Stored summaries ----------------------------------------------------------------------------------------------------

CREATE TABLE search_stored.ranking_searches (
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
CREATE INDEX ranking_searches_week ON search_stored.ranking_searches (account_id, week);
-- A hash, since keywords may be longer than a B-tree takes.
CREATE INDEX ranking_searches_query ON search_stored.ranking_searches USING hash (query);
COMMENT ON COLUMN search_stored.ranking_searches.search_key IS 'Names the search, the same in every week: MD5 over its web property, engine, country, language, location, device and query.';
COMMENT ON COLUMN search_stored.ranking_searches.period_start IS 'First day of the reported period; the week holds it.';
COMMENT ON COLUMN search_stored.ranking_searches.period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search_stored.ranking_searches.language IS 'Language code of the search engine.';
COMMENT ON COLUMN search_stored.ranking_searches.locode IS 'Location code.';
COMMENT ON COLUMN search_stored.ranking_searches.query IS 'The keyword.';
COMMENT ON COLUMN search_stored.ranking_searches.keyword_groups IS 'Names of its keyword groups; as one item where a name may hold a comma.';
COMMENT ON COLUMN search_stored.ranking_searches.volume IS 'Average monthly searches, else their approximate number; NULL without either.';
COMMENT ON COLUMN search_stored.ranking_searches.results IS 'Results that were loaded.';
COMMENT ON COLUMN search_stored.ranking_searches.deepest_standard IS 'Deepest place of a result by standard rank.';
COMMENT ON COLUMN search_stored.ranking_searches.deepest_true IS 'Deepest place of a result by true rank.';
COMMENT ON COLUMN search_stored.ranking_searches.own_standard IS 'Best place of an own result by standard rank; NULL when there is none.';
COMMENT ON COLUMN search_stored.ranking_searches.own_true IS 'Best place of an own result by true rank; NULL when there is none.';
COMMENT ON COLUMN search_stored.ranking_searches.own_url_standard IS 'URL of the best own result by standard rank.';
COMMENT ON COLUMN search_stored.ranking_searches.own_url_true IS 'URL of the best own result by true rank.';
COMMENT ON COLUMN search_stored.ranking_searches.own_results IS 'Own results that were loaded.';

CREATE TABLE search_stored.ranking_sites (
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
CREATE INDEX ranking_sites_week ON search_stored.ranking_sites (account_id, week);
CREATE INDEX ranking_sites_own ON search_stored.ranking_sites (account_id, week) WHERE is_own;
CREATE INDEX ranking_sites_site ON search_stored.ranking_sites (account_id, site, week);
COMMENT ON COLUMN search_stored.ranking_sites.site IS 'Root domain of the results in lower case, its first 253 characters; NULL for results without one.';
COMMENT ON COLUMN search_stored.ranking_sites.is_own IS 'Whether these results are own ones, by root domain or subdomain: a site may have a row of either kind.';
COMMENT ON COLUMN search_stored.ranking_sites.standard_1 IS 'Results of the site on the first place by standard rank.';
COMMENT ON COLUMN search_stored.ranking_sites.standard_3 IS 'Results of the site within the first 3 places by standard rank.';
COMMENT ON COLUMN search_stored.ranking_sites.standard_5 IS 'Results of the site within the first 5 places by standard rank.';
COMMENT ON COLUMN search_stored.ranking_sites.standard_10 IS 'Results of the site within the first 10 places by standard rank.';
COMMENT ON COLUMN search_stored.ranking_sites.standard_20 IS 'Results of the site within the first 20 places by standard rank.';
COMMENT ON COLUMN search_stored.ranking_sites.true_1 IS 'Results of the site on the first place by true rank.';
COMMENT ON COLUMN search_stored.ranking_sites.true_3 IS 'Results of the site within the first 3 places by true rank.';
COMMENT ON COLUMN search_stored.ranking_sites.true_5 IS 'Results of the site within the first 5 places by true rank.';
COMMENT ON COLUMN search_stored.ranking_sites.true_10 IS 'Results of the site within the first 10 places by true rank.';
COMMENT ON COLUMN search_stored.ranking_sites.true_20 IS 'Results of the site within the first 20 places by true rank.';

CREATE TABLE search_stored.ranking_totals (
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
  true_place_sum         bigint NOT NULL,
  digest                 numeric NOT NULL
);
CREATE INDEX ranking_totals_week ON search_stored.ranking_totals (account_id, week);
COMMENT ON COLUMN search_stored.ranking_totals.searches IS 'Tracked searches.';
COMMENT ON COLUMN search_stored.ranking_totals.searches_with_volume IS 'Of them, those whose volume is known.';
COMMENT ON COLUMN search_stored.ranking_totals.volume IS 'Sum of their volumes.';
COMMENT ON COLUMN search_stored.ranking_totals.standard_1 IS 'Searches whose best own result by standard rank is on place 1.';
COMMENT ON COLUMN search_stored.ranking_totals.standard_2_3 IS 'Searches whose best own result by standard rank is on places 2 and 3.';
COMMENT ON COLUMN search_stored.ranking_totals.standard_4_10 IS 'Searches whose best own result by standard rank is on places 4 to 10.';
COMMENT ON COLUMN search_stored.ranking_totals.standard_11_20 IS 'Searches whose best own result by standard rank is on places 11 to 20.';
COMMENT ON COLUMN search_stored.ranking_totals.standard_beyond IS 'Searches whose best own result by standard rank is beyond place 20.';
COMMENT ON COLUMN search_stored.ranking_totals.standard_absent IS 'Searches without an own result by standard rank.';
COMMENT ON COLUMN search_stored.ranking_totals.true_1 IS 'Searches whose best own result by true rank is on place 1.';
COMMENT ON COLUMN search_stored.ranking_totals.true_2_3 IS 'Searches whose best own result by true rank is on places 2 and 3.';
COMMENT ON COLUMN search_stored.ranking_totals.true_4_10 IS 'Searches whose best own result by true rank is on places 4 to 10.';
COMMENT ON COLUMN search_stored.ranking_totals.true_11_20 IS 'Searches whose best own result by true rank is on places 11 to 20.';
COMMENT ON COLUMN search_stored.ranking_totals.true_beyond IS 'Searches whose best own result by true rank is beyond place 20.';
COMMENT ON COLUMN search_stored.ranking_totals.true_absent IS 'Searches without an own result by true rank.';
COMMENT ON COLUMN search_stored.ranking_totals.standard_place_sum IS 'Sum of the best own places by standard rank, over searches that have one.';
COMMENT ON COLUMN search_stored.ranking_totals.true_place_sum IS 'Sum of the best own places by true rank, over searches that have one.';
COMMENT ON COLUMN search_stored.ranking_totals.digest IS 'Which searches they are: sum of search_reports.digest_part. Digests of parts add up to that of the whole.';

CREATE TABLE search_stored.ranking_groups (
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
  true_10_volume     numeric NOT NULL,
  volume_squared     numeric NOT NULL,
  standard_3_squared numeric NOT NULL,
  true_3_squared     numeric NOT NULL,
  digest             numeric NOT NULL
);
CREATE INDEX ranking_groups_week ON search_stored.ranking_groups (account_id, week);
COMMENT ON COLUMN search_stored.ranking_groups.keyword_group IS 'Name of the keyword group; a search counts in each of its groups.';
COMMENT ON COLUMN search_stored.ranking_groups.searches IS 'Tracked searches.';
COMMENT ON COLUMN search_stored.ranking_groups.volume IS 'Sum of their volumes.';
COMMENT ON COLUMN search_stored.ranking_groups.standard_3 IS 'Searches with an own result within the first 3 places by standard rank.';
COMMENT ON COLUMN search_stored.ranking_groups.standard_10 IS 'Searches with an own result within the first 10 places by standard rank.';
COMMENT ON COLUMN search_stored.ranking_groups.true_3 IS 'Searches with an own result within the first 3 places by true rank.';
COMMENT ON COLUMN search_stored.ranking_groups.true_10 IS 'Searches with an own result within the first 10 places by true rank.';
COMMENT ON COLUMN search_stored.ranking_groups.volume_squared IS 'Sum of the volumes squared, for intervals.';
COMMENT ON COLUMN search_stored.ranking_groups.standard_3_squared IS 'Of it, that of the searches of standard_3.';
COMMENT ON COLUMN search_stored.ranking_groups.true_3_squared IS 'Of it, that of the searches of true_3.';
COMMENT ON COLUMN search_stored.ranking_groups.digest IS 'Which searches they are: sum of search_reports.digest_part.';

CREATE TABLE search_stored.ranking_pages (
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
CREATE INDEX ranking_pages_week ON search_stored.ranking_pages (account_id, week);
COMMENT ON COLUMN search_stored.ranking_pages.url IS 'URL without scheme and www.';
COMMENT ON COLUMN search_stored.ranking_pages.searches IS 'Tracked searches with the page among their results.';
COMMENT ON COLUMN search_stored.ranking_pages.best_standard IS 'Its best place by standard rank.';
COMMENT ON COLUMN search_stored.ranking_pages.best_true IS 'Its best place by true rank.';

CREATE TABLE search_stored.ai_answers (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  prompt_type     text,
  topic           text,
  answers         integer NOT NULL,
  naming_answers  integer NOT NULL,
  answers_squared bigint NOT NULL,
  answers_by_naming bigint NOT NULL,
  naming_squared  bigint NOT NULL,
  prompts         integer NOT NULL,
  digest          numeric NOT NULL,
  lost            integer NOT NULL
);
CREATE INDEX ai_answers_week ON search_stored.ai_answers (account_id, week);
COMMENT ON COLUMN search_stored.ai_answers.prompt_type IS 'Kind of prompt in lower case, as brands and citations of the week tell it; NULL where neither does.';
COMMENT ON COLUMN search_stored.ai_answers.answers IS 'Answers collected: rows of ai_search_response.';
COMMENT ON COLUMN search_stored.ai_answers.naming_answers IS 'Of them, those with a brand or product whose attribution is You.';
COMMENT ON COLUMN search_stored.ai_answers.answers_squared IS 'Sum over prompts of their answers squared, for intervals: answers to one prompt are alike.';
COMMENT ON COLUMN search_stored.ai_answers.answers_by_naming IS 'Sum over prompts of their answers times their naming_answers.';
COMMENT ON COLUMN search_stored.ai_answers.naming_squared IS 'Sum over prompts of their naming_answers squared.';
COMMENT ON COLUMN search_stored.ai_answers.prompts IS 'Prompts that were answered, each counted once for every place, language and persona.';
COMMENT ON COLUMN search_stored.ai_answers.lost IS 'Answers to these prompts that name a brand of ours and are not loaded as such, for example as own brands have another topic; by web property, assistant and country.';
COMMENT ON COLUMN search_stored.ai_answers.digest IS 'Which prompts they are, by web property, assistant, place, language and persona: sum of search_reports.digest_part.';

CREATE TABLE search_stored.ai_spellings (
  account_id bigint NOT NULL,
  week       date NOT NULL,
  dataset    text NOT NULL,
  kind       text NOT NULL,
  spelling   text,
  row_count  integer NOT NULL,
  met_rows   integer NOT NULL
);
CREATE INDEX ai_spellings_week ON search_stored.ai_spellings (account_id, week);
COMMENT ON COLUMN search_stored.ai_spellings.dataset IS 'ai_search_response, ai_search_citations, or ai_search_brands: of those the rows attributed to You.';
COMMENT ON COLUMN search_stored.ai_spellings.kind IS 'engine, locode or language; of own brands also place, which is web property, engine and country together as JSON.';
COMMENT ON COLUMN search_stored.ai_spellings.spelling IS 'The value, as aliases spell it.';
COMMENT ON COLUMN search_stored.ai_spellings.row_count IS 'Rows that have it.';
COMMENT ON COLUMN search_stored.ai_spellings.met_rows IS 'Of brands: rows whose answer is loaded. Of answers: those that name an own brand. Of citations: rows whose engine, place and language answers have.';

CREATE TABLE search_stored.ai_citation_sites (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  prompt_type     text,
  topic           text,
  site            text,
  attribution     text,
  citations       integer NOT NULL,
  citations_by_all bigint NOT NULL,
  citations_squared bigint NOT NULL
);
CREATE INDEX ai_citation_sites_week ON search_stored.ai_citation_sites (account_id, week);
CREATE INDEX ai_citation_sites_site ON search_stored.ai_citation_sites (account_id, site, week);
CREATE INDEX ai_citation_sites_own ON search_stored.ai_citation_sites (account_id, week, site) WHERE attribution = 'you';
COMMENT ON COLUMN search_stored.ai_citation_sites.site IS 'Domain of the citations in lower case, its first 253 characters.';
COMMENT ON COLUMN search_stored.ai_citation_sites.citations_by_all IS 'Sum over prompts of these times all their citations, for intervals: citations of one prompt are alike. That of all sites is the sum of all citations squared.';
COMMENT ON COLUMN search_stored.ai_citation_sites.citations_squared IS 'Sum over prompts of these squared.';

CREATE TABLE search_stored.ai_citation_totals (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  prompt_type     text,
  topic           text,
  attribution     text,
  citations       integer NOT NULL,
  citations_by_all bigint NOT NULL,
  citations_squared bigint NOT NULL
);
CREATE INDEX ai_citation_totals_week ON search_stored.ai_citation_totals (account_id, week);
COMMENT ON COLUMN search_stored.ai_citation_totals.citations_by_all IS 'Sum over prompts of these times all their citations, for intervals: citations of one prompt are alike. That of all attributions is the sum of all citations squared.';
COMMENT ON COLUMN search_stored.ai_citation_totals.citations_squared IS 'Sum over prompts of these squared.';

CREATE TABLE search_stored.ai_cited_pages (
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
CREATE INDEX ai_cited_pages_week ON search_stored.ai_cited_pages (account_id, week);
COMMENT ON COLUMN search_stored.ai_cited_pages.url IS 'URL without scheme and www.';
COMMENT ON COLUMN search_stored.ai_cited_pages.site IS 'Domain of the citations in lower case, its first 253 characters.';

CREATE TABLE search_stored.ai_sentiments (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  prompt_type     text,
  topic           text,
  brand           text,
  positive        integer NOT NULL,
  neutral         integer NOT NULL,
  negative        integer NOT NULL,
  other           integer NOT NULL,
  mentions_squared bigint NOT NULL,
  mentions_by_halves bigint NOT NULL,
  halves_squared  bigint NOT NULL,
  prompts         integer NOT NULL,
  prompt_points   numeric NOT NULL
);
CREATE INDEX ai_sentiments_week ON search_stored.ai_sentiments (account_id, week);
COMMENT ON COLUMN search_stored.ai_sentiments.brand IS 'Brand of the mentions.';
COMMENT ON COLUMN search_stored.ai_sentiments.positive IS 'Mentions that are positive.';
COMMENT ON COLUMN search_stored.ai_sentiments.neutral IS 'Mentions that are neutral.';
COMMENT ON COLUMN search_stored.ai_sentiments.negative IS 'Mentions that are negative.';
COMMENT ON COLUMN search_stored.ai_sentiments.other IS 'Mentions with another sentiment, or none.';
COMMENT ON COLUMN search_stored.ai_sentiments.mentions_squared IS 'Sum over prompts of their mentions squared, for intervals: mentions of one prompt are alike.';
COMMENT ON COLUMN search_stored.ai_sentiments.mentions_by_halves IS 'Sum over prompts of their mentions times their halves: two for a positive mention, one for a neutral one.';
COMMENT ON COLUMN search_stored.ai_sentiments.halves_squared IS 'Sum over prompts of their halves squared.';
COMMENT ON COLUMN search_stored.ai_sentiments.prompts IS 'Prompts with a mention that is positive, neutral or negative.';
COMMENT ON COLUMN search_stored.ai_sentiments.prompt_points IS 'Sum over these of the mean of their mentions by the points of the service: positive 10, neutral 5, negative 1.';

CREATE TABLE search_stored.ai_fan_out (
  account_id         bigint NOT NULL,
  week               date NOT NULL,
  web_property_id    bigint,
  assistant          text,
  country            text,
  prompt_type        text,
  query              text,
  row_count          integer NOT NULL,
  amount_of_searches numeric NOT NULL
);
CREATE INDEX ai_fan_out_week ON search_stored.ai_fan_out (account_id, week);
COMMENT ON COLUMN search_stored.ai_fan_out.query IS 'The fan-out query.';
COMMENT ON COLUMN search_stored.ai_fan_out.row_count IS 'Rows of ai_search_fan_out.';
COMMENT ON COLUMN search_stored.ai_fan_out.amount_of_searches IS 'Sum of their amounts of searches.';

-- What tables of summaries have alike is described once: each column that has no description yet, by the first line that names it.
DO $$
DECLARE
  stored record;
BEGIN
  FOR stored IN
    SELECT c.relname AS summary, NULL AS column, format('Stored rows of search_reports.%s. Query the view: some of these may be out of date.', c.relname) AS meaning
      FROM pg_catalog.pg_class c
     WHERE c.relnamespace = 'search_stored'::regnamespace AND c.relkind = 'r'
    UNION ALL
    (SELECT DISTINCT ON (c.oid, a.attnum) c.relname, a.attname, known.meaning
       FROM (VALUES
         (1, 'ranking%', 'web_property_id', 'Web property the searches are tracked for.'),
         (2, 'ranking%', 'search_engine', 'Search engine, such as GOOGLE.'),
         (3, 'ranking%', 'country', 'Country code of the search engine.'),
         (4, 'ranking%', 'device', 'Device, such as DESKTOP or SMARTPHONE.'),
         (5, 'ai%', 'web_property_id', 'Web property.'),
         (6, 'ai%', 'assistant', 'AI search engine.'),
         (7, 'ai%', 'country', 'Country: what the location code begins with, in upper case.'),
         (8, 'ai%', 'prompt_type', 'Kind of prompt in lower case, such as branded or unbranded.'),
         (9, 'ai%', 'topic', 'Topic of the prompt.'),
         (10, 'ai%', 'attribution', 'Attribution, such as You or SEO Competitor, in lower case.'),
         (11, 'ai%', 'citations', 'Citations.'),
         (12, 'ranking_sites', 'standard%volume', 'The same by standard rank, each result counted with the volume of its search.'),
         (13, 'ranking_sites', 'true%volume', 'The same by true rank, each result counted with the volume of its search.'),
         (14, 'ranking%', 'standard%volume', 'Volume of these searches.'),
         (15, 'ranking%', 'true%volume', 'Volume of these searches.')
       ) AS known (place, summaries, name, meaning)
       JOIN pg_catalog.pg_class c ON c.relnamespace = 'search_stored'::regnamespace AND c.relkind = 'r' AND c.relname LIKE known.summaries
       JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attname LIKE known.name
      WHERE col_description(c.oid, a.attnum) IS NULL
      ORDER BY c.oid, a.attnum, known.place)
  LOOP
    EXECUTE format('COMMENT ON %s search_stored.%I%s IS %L', CASE WHEN stored.column IS NULL THEN 'TABLE' ELSE 'COLUMN' END, stored.summary,
                   '.' || quote_ident(stored.column), stored.meaning);
  END LOOP;
END
$$;
