-- Facts: what a week says of each tracked search and each tracked prompt, written once, when the week is summarised. Levels and changes of all figures are
-- sums over these rows (migrations/repeatable/27_measures.sql).
-- search_facts takes the place of the stored ranking_searches, whose columns it has; search_sites that of ranking_sites, and
-- counts a place that several results share in parts. Sums that 1.0.0 stored beside them are views over facts now (12_summaries.sql).
-- Guarantees: weeks that were summarised before are marked and left out by readers until they are stored again, the newest first. Nothing else waits.
-- They load and publish; they cannot store summaries any more, and the first new process stores what they left.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

-- Readers leave these weeks out until they are stored with their facts.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT DISTINCT 'rankings', account_id, week, false FROM search_stored.ranking_totals
UNION ALL
SELECT DISTINCT 'answers', account_id, week, false
  FROM (SELECT account_id, week FROM search_stored.ai_answers UNION SELECT account_id, week FROM search_stored.ai_spellings
        UNION SELECT account_id, week FROM search_stored.ai_sentiments) AS answered
UNION ALL
-- Pages are known by another form of their URL.
SELECT DISTINCT 'citations', account_id, week, false FROM search_stored.ai_citation_sites;

-- Views that others may have built theirs on stay, without rows until they are defined anew.
DO $$
DECLARE
  old     text;
  columns text;
BEGIN
  FOREACH old IN ARRAY ARRAY['ranking_searches', 'ranking_sites', 'ranking_totals', 'ranking_groups', 'ai_answers', 'ai_citation_sites',
                             'ai_citation_totals', 'ai_cited_pages'] LOOP
    CONTINUE WHEN to_regclass('search_reports.' || old) IS NULL;
    SELECT string_agg(format('NULL::%s AS %I', format_type(atttypid, atttypmod), attname), ', ' ORDER BY attnum) INTO columns
      FROM pg_catalog.pg_attribute WHERE attrelid = ('search_reports.' || old)::regclass AND attnum > 0 AND NOT attisdropped;
    EXECUTE format('CREATE OR REPLACE VIEW search_reports.%I AS SELECT %s WHERE false', old, columns);
    EXECUTE format('DROP VIEW IF EXISTS search_stored.%I', 'current_' || old);
    EXECUTE format('DROP FUNCTION IF EXISTS search_reports.%I(bigint, date)', 'compute_' || old);
  END LOOP;
  IF to_regclass('search_stored.stored_weeks') IS NOT NULL THEN
    EXECUTE 'CREATE OR REPLACE VIEW search_stored.stored_weeks AS
             SELECT NULL::text AS subject, NULL::bigint AS account_id, NULL::date AS week WHERE false';
  END IF;
END
$$;

DROP TABLE search_stored.ranking_searches, search_stored.ranking_sites, search_stored.ranking_totals, search_stored.ranking_groups,
           search_stored.ai_answers, search_stored.ai_citation_sites, search_stored.ai_citation_totals;

CREATE TABLE search_stored.search_facts (
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
  first_loaded     integer NOT NULL,
  last_loaded      integer,
  is_whole         boolean NOT NULL,
  shows_us         boolean NOT NULL,
  result_types     text,
  deepest_standard integer,
  deepest_true     integer,
  own_standard     integer,
  own_true         integer,
  own_url_standard text,
  own_url_true     text,
  own_results      integer NOT NULL,
  standard_1       numeric NOT NULL,
  standard_3       numeric NOT NULL,
  standard_5       numeric NOT NULL,
  standard_10      numeric NOT NULL,
  standard_20      numeric NOT NULL,
  true_1           numeric NOT NULL,
  true_3           numeric NOT NULL,
  true_5           numeric NOT NULL,
  true_10          numeric NOT NULL,
  true_20          numeric NOT NULL
);
CREATE INDEX search_facts_week ON search_stored.search_facts (account_id, week);
-- A hash, since keywords may be longer than a B-tree takes.
CREATE INDEX search_facts_query ON search_stored.search_facts USING hash (query);
COMMENT ON COLUMN search_stored.search_facts.search_key IS 'Names the search, the same in every week: MD5 over its web property, engine, country, language, location, device and query.';
COMMENT ON COLUMN search_stored.search_facts.period_start IS 'First day of the reported period; the week holds it.';
COMMENT ON COLUMN search_stored.search_facts.period_end IS 'Last day of the reported period.';
COMMENT ON COLUMN search_stored.search_facts.web_property_id IS 'Web property the search is tracked for.';
COMMENT ON COLUMN search_stored.search_facts.search_engine IS 'Search engine, such as GOOGLE.';
COMMENT ON COLUMN search_stored.search_facts.country IS 'Country code of the search engine.';
COMMENT ON COLUMN search_stored.search_facts.language IS 'Language code of the search engine.';
COMMENT ON COLUMN search_stored.search_facts.locode IS 'Location code.';
COMMENT ON COLUMN search_stored.search_facts.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search_stored.search_facts.query IS 'The keyword.';
COMMENT ON COLUMN search_stored.search_facts.keyword_groups IS 'Names of its keyword groups; as one item where a name may hold a comma.';
COMMENT ON COLUMN search_stored.search_facts.volume IS 'Average monthly searches, else their approximate number; NULL without either.';
COMMENT ON COLUMN search_stored.search_facts.results IS 'Results that were loaded; rows that are equal in all columns are one.';
COMMENT ON COLUMN search_stored.search_facts.first_loaded IS 'The first place that was asked for (min_rank), else 1.';
COMMENT ON COLUMN search_stored.search_facts.last_loaded IS 'The last place that was asked for (max_rank); NULL without a limit.';
COMMENT ON COLUMN search_stored.search_facts.is_whole IS 'Whether the results of all sites were asked for: with the filter domains, searches without such a result have no row.';
COMMENT ON COLUMN search_stored.search_facts.shows_us IS 'Whether our own results were asked for.';
COMMENT ON COLUMN search_stored.search_facts.result_types IS 'The types of results that were asked for, in order; NULL for all.';
COMMENT ON COLUMN search_stored.search_facts.deepest_standard IS 'Deepest place of a result by standard rank.';
COMMENT ON COLUMN search_stored.search_facts.deepest_true IS 'Deepest place of a result by true rank.';
COMMENT ON COLUMN search_stored.search_facts.own_standard IS 'Best place of an own result by standard rank; NULL when there is none.';
COMMENT ON COLUMN search_stored.search_facts.own_true IS 'Best place of an own result by true rank; NULL when there is none.';
COMMENT ON COLUMN search_stored.search_facts.own_url_standard IS 'URL of the best own result by standard rank.';
COMMENT ON COLUMN search_stored.search_facts.own_url_true IS 'URL of the best own result by true rank.';
COMMENT ON COLUMN search_stored.search_facts.own_results IS 'Own results that were loaded.';
COMMENT ON COLUMN search_stored.search_facts.standard_1 IS 'Of the first place by standard rank, how many are held by own results: a place that k results share counts 1 / k for each.';
COMMENT ON COLUMN search_stored.search_facts.standard_3 IS 'The same of the first 3 places.';
COMMENT ON COLUMN search_stored.search_facts.standard_5 IS 'The same of the first 5 places.';
COMMENT ON COLUMN search_stored.search_facts.standard_10 IS 'The same of the first 10 places.';
COMMENT ON COLUMN search_stored.search_facts.standard_20 IS 'The same of the first 20 places.';
COMMENT ON COLUMN search_stored.search_facts.true_1 IS 'Of the first place by true rank, how many are held by own results.';
COMMENT ON COLUMN search_stored.search_facts.true_3 IS 'The same of the first 3 places.';
COMMENT ON COLUMN search_stored.search_facts.true_5 IS 'The same of the first 5 places.';
COMMENT ON COLUMN search_stored.search_facts.true_10 IS 'The same of the first 10 places.';
COMMENT ON COLUMN search_stored.search_facts.true_20 IS 'The same of the first 20 places.';

CREATE TABLE search_stored.search_sites (
  account_id         bigint NOT NULL,
  week               date NOT NULL,
  web_property_id    bigint,
  search_engine      text,
  country            text,
  device             text,
  site               text,
  is_own             boolean NOT NULL,
  standard_1         numeric NOT NULL,
  standard_3         numeric NOT NULL,
  standard_5         numeric NOT NULL,
  standard_10        numeric NOT NULL,
  standard_20        numeric NOT NULL,
  true_1             numeric NOT NULL,
  true_3             numeric NOT NULL,
  true_5             numeric NOT NULL,
  true_10            numeric NOT NULL,
  true_20            numeric NOT NULL,
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
CREATE INDEX search_sites_week ON search_stored.search_sites (account_id, week);
CREATE INDEX search_sites_own ON search_stored.search_sites (account_id, week) WHERE is_own;
CREATE INDEX search_sites_site ON search_stored.search_sites (account_id, site, week);
COMMENT ON COLUMN search_stored.search_sites.web_property_id IS 'Web property the searches are tracked for.';
COMMENT ON COLUMN search_stored.search_sites.search_engine IS 'Search engine, such as GOOGLE.';
COMMENT ON COLUMN search_stored.search_sites.country IS 'Country code of the search engine.';
COMMENT ON COLUMN search_stored.search_sites.device IS 'Device, such as DESKTOP or SMARTPHONE.';
COMMENT ON COLUMN search_stored.search_sites.site IS 'Root domain of the results in lower case, its first 253 characters; NULL for results without one.';
COMMENT ON COLUMN search_stored.search_sites.is_own IS 'Whether these results are own ones, by root domain or subdomain: a site may have a row of either kind.';

-- Each column of places is described by its name.
DO $$
DECLARE
  place record;
BEGIN
  FOR place IN
    SELECT rank, n, format('%s_%s', rank, n) AS name
      FROM unnest(ARRAY['standard', 'true']) AS rank CROSS JOIN unnest(ARRAY[1, 3, 5, 10, 20]) AS n
  LOOP
    EXECUTE format('COMMENT ON COLUMN search_stored.search_sites.%I IS %L', place.name,
                   format('Of the first %s places by %s rank, how many the site holds: a place that k results share counts 1 / k for each.', place.n, place.rank));
    EXECUTE format('COMMENT ON COLUMN search_stored.search_sites.%I IS %L', place.name || '_volume',
                   format('The same by %s rank, each result counted with the volume of its search.', place.rank));
  END LOOP;
END
$$;

CREATE TABLE search_stored.prompt_facts (
  account_id      bigint NOT NULL,
  week            date NOT NULL,
  prompt_key      uuid NOT NULL,
  web_property_id bigint,
  assistant       text,
  country         text,
  locode          text,
  language        text,
  persona         text,
  frequency       text,
  prompt          text,
  topic           text,
  intent          text,
  prompt_type     text,
  told_in         date,
  prompt_groups   text[] NOT NULL,
  asked           text[] NOT NULL,
  answers         integer,
  naming          integer,
  citing          integer,
  unmet_brands    integer NOT NULL,
  own_citations   integer,
  citations       integer,
  cited_sites     text[],
  attributions    text[],
  unattributed    integer,
  positive        integer,
  neutral         integer,
  negative        integer,
  unvalued        integer
);
CREATE INDEX prompt_facts_week ON search_stored.prompt_facts (account_id, week);
-- A hash, since prompts may be longer than a B-tree takes.
CREATE INDEX prompt_facts_prompt ON search_stored.prompt_facts USING hash (prompt);
COMMENT ON COLUMN search_stored.prompt_facts.prompt_key IS 'Names the tracked prompt, the same in every week: MD5 over its web property, assistant, location, language, persona, collection frequency and text.';
COMMENT ON COLUMN search_stored.prompt_facts.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_stored.prompt_facts.assistant IS 'AI search engine, as aliases spell it.';
COMMENT ON COLUMN search_stored.prompt_facts.country IS 'Country: what the location code begins with, in upper case.';
COMMENT ON COLUMN search_stored.prompt_facts.locode IS 'Location code, as aliases spell it.';
COMMENT ON COLUMN search_stored.prompt_facts.language IS 'Language, as aliases spell it.';
COMMENT ON COLUMN search_stored.prompt_facts.persona IS 'Persona.';
COMMENT ON COLUMN search_stored.prompt_facts.frequency IS 'Collection frequency in lower case.';
COMMENT ON COLUMN search_stored.prompt_facts.prompt IS 'The prompt.';
COMMENT ON COLUMN search_stored.prompt_facts.topic IS 'Topic of the prompt in this week.';
COMMENT ON COLUMN search_stored.prompt_facts.intent IS 'Intent of the prompt in this week.';
COMMENT ON COLUMN search_stored.prompt_facts.prompt_type IS 'Kind of prompt in lower case, such as branded or unbranded: the last one that any of its rows told, in this week or before; where none ever did, branded if its text has a name of ours, else unbranded.';
COMMENT ON COLUMN search_stored.prompt_facts.told_in IS 'The week whose rows told the kind; NULL where none did.';
COMMENT ON COLUMN search_stored.prompt_facts.prompt_groups IS 'Names of its prompt groups.';
COMMENT ON COLUMN search_stored.prompt_facts.asked IS 'Datasets of AI search that asked for the prompt, such as brands and citations.';
COMMENT ON COLUMN search_stored.prompt_facts.answers IS 'Answers collected; 0 where answers were asked for and none came, NULL where they were not asked for.';
COMMENT ON COLUMN search_stored.prompt_facts.naming IS 'Of them, those that name a brand of ours; NULL where our brands were not asked for, or are spelled in a way that meets no answer.';
COMMENT ON COLUMN search_stored.prompt_facts.citing IS 'Of them, those that cite a page of ours; NULL where our citations were not asked for.';
COMMENT ON COLUMN search_stored.prompt_facts.unmet_brands IS 'Rows of brands of ours that met no answer.';
COMMENT ON COLUMN search_stored.prompt_facts.own_citations IS 'Citations of pages of ours; NULL where these were not asked for.';
COMMENT ON COLUMN search_stored.prompt_facts.citations IS 'Citations; NULL where not all were asked for.';
COMMENT ON COLUMN search_stored.prompt_facts.cited_sites IS 'The sites of these citations in order, each as often as it is cited; (no page) for a citation without a domain.';
COMMENT ON COLUMN search_stored.prompt_facts.attributions IS 'The attributions of these citations in order, in lower case, each as often as it occurs: you for all of ours, (none) for a citation without one.';
COMMENT ON COLUMN search_stored.prompt_facts.unattributed IS 'Citations whose attribution is unknown and whose site is not known to be ours.';
COMMENT ON COLUMN search_stored.prompt_facts.positive IS 'Positive mentions of brands of ours; NULL where not all of their sentiments were asked for.';
COMMENT ON COLUMN search_stored.prompt_facts.neutral IS 'Neutral mentions of brands of ours.';
COMMENT ON COLUMN search_stored.prompt_facts.negative IS 'Negative mentions of brands of ours.';
COMMENT ON COLUMN search_stored.prompt_facts.unvalued IS 'Mentions of brands of ours with another sentiment, or none.';

CREATE TABLE search_stored.ai_names (
  account_id bigint NOT NULL,
  week       date NOT NULL,
  name       text NOT NULL,
  is_own     boolean NOT NULL
);
CREATE INDEX ai_names_week ON search_stored.ai_names (account_id, week);
COMMENT ON COLUMN search_stored.ai_names.name IS 'Brand or product, in lower case.';
COMMENT ON COLUMN search_stored.ai_names.is_own IS 'Whether a row of the week attributes it to You. A name that any week attributes to You is own in every week.';

-- What can be chosen: few rows, where facts are many.
CREATE TABLE search_stored.search_values (
  account_id bigint NOT NULL,
  week       date NOT NULL,
  variable   text NOT NULL,
  value      text NOT NULL,
  amount     bigint NOT NULL
);
CREATE INDEX search_values_week ON search_stored.search_values (account_id, week);
CREATE TABLE search_stored.prompt_values (
  account_id bigint NOT NULL,
  week       date NOT NULL,
  variable   text NOT NULL,
  value      text NOT NULL,
  amount     bigint NOT NULL
);
CREATE INDEX prompt_values_week ON search_stored.prompt_values (account_id, week);
COMMENT ON COLUMN search_stored.search_values.variable IS 'What is chosen by, such as engine or keyword_group; volume for whether search volumes are known.';
COMMENT ON COLUMN search_stored.search_values.value IS 'The value; (none) for what has none.';
COMMENT ON COLUMN search_stored.search_values.amount IS 'How many tracked searches have it.';
COMMENT ON COLUMN search_stored.prompt_values.variable IS 'What is chosen by, such as assistant or topic.';
COMMENT ON COLUMN search_stored.prompt_values.value IS 'The value; (none) for what has none.';
COMMENT ON COLUMN search_stored.prompt_values.amount IS 'How many tracked prompts have it.';
COMMENT ON TABLE search_stored.search_values IS 'Stored rows of search_reports.search_values. Query the view: some of these may be out of date.';
COMMENT ON TABLE search_stored.prompt_values IS 'Stored rows of search_reports.prompt_values. Query the view: some of these may be out of date.';

ALTER TABLE search_stored.ai_cited_pages ADD COLUMN topic text;
CREATE INDEX ai_cited_pages_own ON search_stored.ai_cited_pages (account_id, week, site) WHERE attribution = 'you';
COMMENT ON COLUMN search_stored.ai_cited_pages.topic IS 'Topic of the prompt.';

COMMENT ON TABLE search_stored.search_facts IS 'Stored rows of search_reports.search_facts. Query the view: some of these may be out of date.';
COMMENT ON TABLE search_stored.search_sites IS 'Stored rows of search_reports.search_sites. Query the view: some of these may be out of date.';
COMMENT ON TABLE search_stored.prompt_facts IS 'Stored rows of search_reports.prompt_facts. Query the view: some of these may be out of date.';
COMMENT ON TABLE search_stored.ai_names IS 'Stored rows of search_reports.ai_names. Query the view: some of these may be out of date.';

-- Choices --------------------------------------------------------------------------------------------------------------

CREATE TYPE search_reports.choices AS (
  account       bigint,
  web_property  text[],
  country       text[],
  engine        text[],
  device        text[],
  keyword_group text[],
  keyword       text,
  assistant     text[],
  topic         text[],
  kind          text,
  persona       text[],
  intent        text[],
  prompt_group  text[],
  prompt        text,
  rank          text,
  places        integer,
  by_volume     boolean
);
COMMENT ON TYPE search_reports.choices IS 'What a reader has chosen. NULL chooses all; (none) in a list chooses what has no value. rank is standard or true, places how many of the first places count, by_volume whether a search counts as often as it is made.';

