-- A view of each measure for tools that sum by themselves: a row is a tracked search or prompt of a week, with its part and its whole.
-- Whatever is chosen or grouped, sum(part) / nullif(sum(whole), 0) is the level that boards show. Rows that do not show the measure have
-- neither part nor whole, and say why.
-- Generated from dashboards/measures by "npm run generate".
-- The functions of units are called for one week at a time, so that a condition on account_id and week is one on what is read.

CREATE OR REPLACE VIEW search_reports.measure_average_place AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.keyword, k.engine, k.country, k.language, k.locode,
       k.device, k.keyword_groups, k.volume,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no search finds us' END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('average_place', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks
         FROM search_reports.searches(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT place AS part, CASE WHEN place IS NOT NULL THEN 1 END AS whole,
               coalesce(CASE WHEN first_loaded > 1 THEN format('places before %s were not asked for (min_rank)', first_loaded) END,
                        search_reports.lacks_us(shows_us)) AS lacks
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_average_place IS
  'Average best place: The mean of our best places in the tracked searches that have one. A search that has '
  'none does not count. sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its '
  'rows, which boards show for the first ten places by standard rank, by volume. Choose account_id and '
  'week.';

CREATE OR REPLACE VIEW search_reports.measure_citation_share AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.assistant, k.country, k.locode, k.language, k.persona,
       k.topic, k.intent, k.prompt, k.prompt_type, k.prompt_groups,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL
             AND NOT (k.doubt IS NOT NULL AND coalesce(k.part, 0) = 0) THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no citations'
                     WHEN k.doubt IS NOT NULL AND coalesce(k.part, 0) = 0 THEN k.doubt END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('citation_share', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks,
              -- A zero is certain only in a week without any doubt.
              min(m.doubt) OVER () AS doubt
         FROM search_reports.prompts(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT own_citations AS part, citations AS whole,
               CASE WHEN citations IS NULL THEN 'only a part of the citations was asked for'
                    WHEN own_citations IS NULL THEN 'citations of our pages were not asked for' END AS lacks,
               CASE WHEN unattributed > 0 THEN 'of some citations nobody knows whose they are' END AS doubt
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_citation_share IS
  'Citation share: The citations of our pages, of all citations in answers. 100 * sum(part) / '
  'nullif(sum(whole), 0) is the level of any choice and grouping of its rows, which boards show. Choose '
  'account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_citations AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.assistant, k.country, k.locode, k.language, k.persona,
       k.topic, k.intent, k.prompt, k.prompt_type, k.prompt_groups,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no citations' END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('citations', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks
         FROM search_reports.prompts(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT citations AS part, citations AS whole,
               CASE WHEN citations IS NULL THEN 'only a part of the citations was asked for' END AS lacks
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_citations IS
  'Citations: The citations in answers of assistants, as the whole that the citation shares of sites are a '
  'part of. 100 * sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, '
  'which boards show. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_citing_rate AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.assistant, k.country, k.locode, k.language, k.persona,
       k.topic, k.intent, k.prompt, k.prompt_type, k.prompt_groups,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no answers' END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('citing_rate', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks
         FROM search_reports.prompts(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT citing AS part, answers AS whole,
               CASE WHEN answers IS NULL THEN 'answers were not asked for'
                    WHEN citing IS NULL THEN 'citations of our pages were not asked for' END AS lacks
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_citing_rate IS
  'Answers citing us: The answers of assistants that cite one of our pages, of all answers collected. 100 * '
  'sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, which boards '
  'show. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_criticism AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.assistant, k.country, k.locode, k.language, k.persona,
       k.topic, k.intent, k.prompt, k.prompt_type, k.prompt_groups,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL
             AND NOT (k.doubt IS NOT NULL AND coalesce(k.part, 0) = 0) THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no mentions of ours'
                     WHEN k.doubt IS NOT NULL AND coalesce(k.part, 0) = 0 THEN k.doubt END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('criticism', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks,
              -- A zero is certain only in a week without any doubt.
              min(m.doubt) OVER () AS doubt
         FROM search_reports.prompts(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT negative AS part, positive + neutral + negative AS whole,
               CASE WHEN positive IS NULL THEN 'not all sentiments of our brands were asked for' END AS lacks,
               CASE WHEN unvalued > 0 THEN 'some mentions have another sentiment, or none' END AS doubt
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_criticism IS
  'Share of criticism: Negative mentions of our brands, of all mentions that have a sentiment. 100 * '
  'sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, which boards '
  'show. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_first_places AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.keyword, k.engine, k.country, k.language, k.locode,
       k.device, k.keyword_groups, k.volume,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no searches with a known volume' END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('first_places', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks
         FROM search_reports.searches(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT weight * places AS part, weight * places AS whole,
               search_reports.lacks_places(first_loaded, last_loaded, is_whole, places) AS lacks
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_first_places IS
  'First places: The first places of the tracked searches, as the whole that the market shares of sites are '
  'a part of. 100 * sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, '
  'which boards show for the first ten places by standard rank, by volume. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_first_three AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.keyword, k.engine, k.country, k.language, k.locode,
       k.device, k.keyword_groups, k.volume,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no searches with a known volume' END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('first_three', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks
         FROM search_reports.searches(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT CASE WHEN place <= 3 THEN weight ELSE 0 END AS part, weight AS whole,
               coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, 3), search_reports.lacks_us(shows_us)) AS lacks
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_first_three IS
  'Searches in the first three: The tracked searches in which a result of ours is among the first three. '
  '100 * sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, which '
  'boards show for the first ten places by standard rank, by volume. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_found AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.keyword, k.engine, k.country, k.language, k.locode,
       k.device, k.keyword_groups, k.volume,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no searches with a known volume' END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('found', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks
         FROM search_reports.searches(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT CASE WHEN place IS NOT NULL THEN weight ELSE 0 END AS part, weight AS whole,
               coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, NULL), search_reports.lacks_us(shows_us)) AS lacks
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_found IS
  'Searches that find us: The tracked searches with a place of ours, as deep as results were loaded. 100 * '
  'sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, which boards show '
  'for the first ten places by standard rank, by volume. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_mention_rate AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.assistant, k.country, k.locode, k.language, k.persona,
       k.topic, k.intent, k.prompt, k.prompt_type, k.prompt_groups,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL
             AND NOT (k.doubt IS NOT NULL AND coalesce(k.part, 0) = 0) THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no answers'
                     WHEN k.doubt IS NOT NULL AND coalesce(k.part, 0) = 0 THEN k.doubt END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('mention_rate', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks,
              -- A zero is certain only in a week without any doubt.
              min(m.doubt) OVER () AS doubt
         FROM search_reports.prompts(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT naming AS part, answers AS whole,
               CASE WHEN answers IS NULL THEN 'answers were not asked for'
                    WHEN naming IS NULL THEN 'our brands were not asked for, or meet no answer' END AS lacks,
               CASE WHEN unmet_brands > 0 THEN 'rows of own brands found no answer' END AS doubt
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_mention_rate IS
  'Mention rate: The answers of assistants that name one of our brands, of all answers collected. 100 * '
  'sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, which boards '
  'show. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_sentiment AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.assistant, k.country, k.locode, k.language, k.persona,
       k.topic, k.intent, k.prompt, k.prompt_type, k.prompt_groups,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL
             AND NOT (k.doubt IS NOT NULL AND coalesce(k.part, 0) = 0) THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no mentions of ours'
                     WHEN k.doubt IS NOT NULL AND coalesce(k.part, 0) = 0 THEN k.doubt END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('sentiment', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks,
              -- A zero is certain only in a week without any doubt.
              min(m.doubt) OVER () AS doubt
         FROM search_reports.prompts(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT positive + neutral / 2.0 AS part, positive + neutral + negative AS whole,
               CASE WHEN positive IS NULL THEN 'not all sentiments of our brands were asked for' END AS lacks,
               CASE WHEN unvalued > 0 THEN 'some mentions have another sentiment, or none' END AS doubt
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_sentiment IS
  'Sentiment: Positive mentions of our brands and half of the neutral ones, of all mentions that have a '
  'sentiment. 100 * sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, '
  'which boards show. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_share_of_voice AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.assistant, k.country, k.locode, k.language, k.persona,
       k.topic, k.intent, k.prompt, k.prompt_type, k.prompt_groups,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no answer has a name of ours or of a rival' END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('share_of_voice', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks
         FROM search_reports.prompts(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT own_voices AS part, own_voices + cardinality(rival_voices) AS whole,
               CASE WHEN answers IS NULL THEN 'answers were not asked for'
                    WHEN own_voices IS NULL THEN 'no names of ours are configured (own_brands)'
                    WHEN rival_voices IS NULL THEN 'no names of rivals are configured (rival_brands)'
                    WHEN answers > 0 AND texts = 0 THEN 'the texts of the answers are not there' END AS lacks
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_share_of_voice IS
  'Share of voice: The answers whose text has one of our names, of all that have one of ours or of a '
  'rival''s, each counted once for each of them. A name within an address, such as that of a source, counts, '
  'too. 100 * sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, which '
  'boards show. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_tracked AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.keyword, k.engine, k.country, k.language, k.locode,
       k.device, k.keyword_groups, k.volume,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no searches with a known volume' END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('tracked', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks
         FROM search_reports.searches(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT weight AS part, weight AS whole,
               coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, NULL), search_reports.lacks_us(shows_us)) AS lacks
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_tracked IS
  'Tracked searches: The searches that are tracked, as a whole that lines such as classes of places are a '
  'part of. 100 * sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, '
  'which boards show for the first ten places by standard rank, by volume. Choose account_id and week.';

CREATE OR REPLACE VIEW search_reports.measure_visibility AS
SELECT a.account_id, w.week, k.unit, k.web_property_id, k.keyword, k.engine, k.country, k.language, k.locode,
       k.device, k.keyword_groups, k.volume,
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN 'no searches with a known volume' END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks('visibility', a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks
         FROM search_reports.searches(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        SELECT weight * held AS part, weight * places AS whole,
               coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, places),
                        search_reports.lacks_us(shows_us)) AS lacks
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW search_reports.measure_visibility IS
  'Visibility: How much of the first places of the tracked searches our results hold. A place that several '
  'results share counts in parts. 100 * sum(part) / nullif(sum(whole), 0) is the level of any choice and '
  'grouping of its rows, which boards show for the first ten places by standard rank, by volume. Choose '
  'account_id and week.';

DO $$
DECLARE
  described record;
BEGIN
  FOR described IN
    SELECT v.name, c.name AS column, c.description
      FROM unnest('{measure_average_place,measure_first_places,measure_first_three,measure_found,measure_tracked,'
  'measure_visibility}'::text[]) AS v (name),
           (VALUES
             ('account_id', 'Account.'),
             ('week', 'Sunday that begins the week.'),
             ('part', 'What counts for the measure; NULL where the rows do not show it.'),
             ('whole', 'What it is a part of; NULL where the rows do not show it, so that a sum leaves them out.'),
             ('reason', 'Why there is no part or whole; NULL if there are both.'),
             ('unit', 'Names the tracked search, the same in every week. NULL in the one row of a week that has none.'),
             ('web_property_id', 'Web property; search_reports.web_properties has its name.'),
             ('keyword', 'The keyword.'),
             ('engine', 'Search engine, such as GOOGLE.'),
             ('country', 'Country code of the search engine.'),
             ('language', 'Language code of the search engine.'),
             ('locode', 'Location code.'),
             ('device', 'Device, such as DESKTOP or SMARTPHONE.'),
             ('keyword_groups', 'Names of its keyword groups. A search in several groups counts in each: do not sum over groups.'),
             ('volume', 'Average monthly searches, else their approximate number; NULL without either.')
           ) AS c (name, description)
     UNION ALL
    SELECT v.name, c.name AS column, c.description
      FROM unnest('{measure_citation_share,measure_citations,measure_citing_rate,measure_criticism,measure_mention_rate,'
  'measure_sentiment,measure_share_of_voice}'::text[]) AS v (name),
           (VALUES
             ('account_id', 'Account.'),
             ('week', 'Sunday that begins the week.'),
             ('part', 'What counts for the measure; NULL where the rows do not show it.'),
             ('whole', 'What it is a part of; NULL where the rows do not show it, so that a sum leaves them out.'),
             ('reason', 'Why there is no part or whole; NULL if there are both.'),
             ('unit', 'Names the tracked prompt, the same in every week. NULL in the one row of a week that has none.'),
             ('web_property_id', 'Web property; search_reports.web_properties has its name.'),
             ('assistant', 'AI search engine, as aliases spell it.'),
             ('country', 'Country: what the location code begins with, in upper case.'),
             ('locode', 'Location code, as aliases spell it.'),
             ('language', 'Language, as aliases spell it.'),
             ('persona', 'Persona.'),
             ('topic', 'Topic of the prompt in this week.'),
             ('intent', 'Intent of the prompt in this week.'),
             ('prompt', 'The prompt.'),
             ('prompt_type', 'Kind of prompt in lower case. Boards show unbranded ones unless others are chosen.'),
             ('prompt_groups', 'Names of its prompt groups. A prompt in several groups counts in each: do not sum over groups.')
           ) AS c (name, description)
  LOOP
    EXECUTE format('COMMENT ON COLUMN search_reports.%I.%I IS %L', described.name, described.column, described.description);
  END LOOP;
END
$$;
