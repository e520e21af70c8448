-- The measures: each is a part of a whole over units, as its file in dashboards/measures declares it.
-- Generated from dashboards/measures by "npm run generate".

CREATE OR REPLACE FUNCTION search_reports.measures()
RETURNS TABLE (name text, title text, unit text, better text, units text, datasets text[], empty text, explained text, expressions text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 13
BEGIN ATOMIC
  SELECT m.name, m.title, m.unit, m.better, m.units, m.datasets::text[], m.empty, m.explained, m.expressions
    FROM (VALUES
      ('average_place', 'Average best place', 'place', 'lower', 'searches', '{keyword_rankings}', 'no search finds us',
        'The mean of our best places in the tracked searches that have one. A search that has none does not '
        'count.',
        'SELECT place AS part, CASE WHEN place IS NOT NULL THEN 1 END AS whole,
              coalesce(CASE WHEN first_loaded > 1 THEN format(''places before %s were not asked for (min_rank)'', first_loaded) END,
                       search_reports.lacks_us(shows_us)) AS lacks,
              NULL AS doubt'),
      ('citation_share', 'Citation share', '%', 'higher', 'prompts', '{ai_search_citations}', 'no citations',
        'The citations of our pages, of all citations in answers.',
        'SELECT own_citations AS part, citations AS whole,
              CASE WHEN citations IS NULL THEN ''only a part of the citations was asked for''
                   WHEN own_citations IS NULL THEN ''citations of our pages were not asked for'' END AS lacks,
              CASE WHEN unattributed > 0 THEN ''of some citations nobody knows whose they are'' END AS doubt'),
      ('citations', 'Citations', '%', 'higher', 'prompts', '{ai_search_citations}', 'no citations',
        'The citations in answers of assistants, as the whole that the citation shares of sites are a part of.',
        'SELECT citations AS part, citations AS whole,
              CASE WHEN citations IS NULL THEN ''only a part of the citations was asked for'' END AS lacks,
              NULL AS doubt'),
      ('citing_rate', 'Answers citing us', '%', 'higher', 'prompts', '{ai_search_response,ai_search_citations}', 'no answers',
        'The answers of assistants that cite one of our pages, of all answers collected.',
        'SELECT citing AS part, answers AS whole,
              CASE WHEN answers IS NULL THEN ''answers were not asked for''
                   WHEN citing IS NULL THEN ''citations of our pages were not asked for'' END AS lacks,
              NULL AS doubt'),
      ('criticism', 'Share of criticism', '%', 'lower', 'prompts', '{ai_search_sentiments}', 'no mentions of ours',
        'Negative mentions of our brands, of all mentions that have a sentiment.',
        'SELECT negative AS part, positive + neutral + negative AS whole,
              CASE WHEN positive IS NULL THEN ''not all sentiments of our brands were asked for'' END AS lacks,
              CASE WHEN unvalued > 0 THEN ''some mentions have another sentiment, or none'' END AS doubt'),
      ('first_places', 'First places', '%', 'higher', 'searches', '{keyword_rankings}', 'no searches with a known volume',
        'The first places of the tracked searches, as the whole that the market shares of sites are a part of.',
        'SELECT weight * places AS part, weight * places AS whole,
              search_reports.lacks_places(first_loaded, last_loaded, is_whole, places) AS lacks,
              NULL AS doubt'),
      ('first_three', 'Searches in the first three', '%', 'higher', 'searches', '{keyword_rankings}', 'no searches with a known volume',
        'The tracked searches in which a result of ours is among the first three.',
        'SELECT CASE WHEN place <= 3 THEN weight ELSE 0 END AS part, weight AS whole,
              coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, 3), search_reports.lacks_us(shows_us)) AS lacks,
              NULL AS doubt'),
      ('found', 'Searches that find us', '%', 'higher', 'searches', '{keyword_rankings}', 'no searches with a known volume',
        'The tracked searches with a place of ours, as deep as results were loaded.',
        'SELECT CASE WHEN place IS NOT NULL THEN weight ELSE 0 END AS part, weight AS whole,
              coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, NULL), search_reports.lacks_us(shows_us)) AS lacks,
              NULL AS doubt'),
      ('mention_rate', 'Mention rate', '%', 'higher', 'prompts', '{ai_search_response,ai_search_brands}', 'no answers',
        'The answers of assistants that name one of our brands, of all answers collected.',
        'SELECT naming AS part, answers AS whole,
              CASE WHEN answers IS NULL THEN ''answers were not asked for''
                   WHEN naming IS NULL THEN ''our brands were not asked for, or meet no answer'' END AS lacks,
              CASE WHEN unmet_brands > 0 THEN ''rows of own brands found no answer'' END AS doubt'),
      ('sentiment', 'Sentiment', '%', 'higher', 'prompts', '{ai_search_sentiments}', 'no mentions of ours',
        'Positive mentions of our brands and half of the neutral ones, of all mentions that have a sentiment.',
        'SELECT positive + neutral / 2.0 AS part, positive + neutral + negative AS whole,
              CASE WHEN positive IS NULL THEN ''not all sentiments of our brands were asked for'' END AS lacks,
              CASE WHEN unvalued > 0 THEN ''some mentions have another sentiment, or none'' END AS doubt'),
      ('share_of_voice', 'Share of voice', '%', 'higher', 'prompts', '{ai_search_response}', 'no answer has a name of ours or of a rival',
        'The answers whose text has one of our names, of all that have one of ours or of a rival''s, each counted '
        'once for each of them. A name within an address, such as that of a source, counts, too.',
        'SELECT own_voices AS part, own_voices + cardinality(rival_voices) AS whole,
              CASE WHEN answers IS NULL THEN ''answers were not asked for''
                   WHEN own_voices IS NULL THEN ''no names of ours are configured (own_brands)''
                   WHEN rival_voices IS NULL THEN ''no names of rivals are configured (rival_brands)''
                   WHEN answers > 0 AND texts = 0 THEN ''the texts of the answers are not there'' END AS lacks,
              NULL AS doubt'),
      ('tracked', 'Tracked searches', '%', 'higher', 'searches', '{keyword_rankings}', 'no searches with a known volume',
        'The searches that are tracked, as a whole that lines such as classes of places are a part of.',
        'SELECT weight AS part, weight AS whole,
              coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, NULL), search_reports.lacks_us(shows_us)) AS lacks,
              NULL AS doubt'),
      ('visibility', 'Visibility', '%', 'higher', 'searches', '{keyword_rankings}', 'no searches with a known volume',
        'How much of the first places of the tracked searches our results hold. A place that several results '
        'share counts in parts.',
        'SELECT weight * held AS part, weight * places AS whole,
              coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, places),
                       search_reports.lacks_us(shows_us)) AS lacks,
              NULL AS doubt')
    ) AS m (name, title, unit, better, units, datasets, empty, explained, expressions);
END;
COMMENT ON FUNCTION search_reports.measures IS
  'The measures: name, title, unit, whether higher or lower is better, the units that they are sums over '
  '(searches or prompts), the datasets that they need, the reason of a gap where there is nothing, what it '
  'means in a sentence, and part, whole, lacks (why a unit does not count) and doubt (why a 0 is not '
  'certain) as expressions over the columns of the units.';
