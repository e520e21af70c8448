-- Title: Share of voice
-- Explained: The answers whose text has one of our names, of all that have one of ours or of a rival's, each counted once for each of them. A name within an address, such as that of a source, counts, too.
-- Unit: %
-- Better: higher
-- Of: prompts
-- Datasets: ai_search_response
-- Empty: no answer has a name of ours or of a rival
SELECT own_voices AS part, own_voices + cardinality(rival_voices) AS whole,
       CASE WHEN answers IS NULL THEN 'answers were not asked for'
            WHEN own_voices IS NULL THEN 'no names of ours are configured (own_brands)'
            WHEN rival_voices IS NULL THEN 'no names of rivals are configured (rival_brands)'
            WHEN answers > 0 AND texts = 0 THEN 'the texts of the answers are not there' END AS lacks
