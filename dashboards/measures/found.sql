-- Title: Searches that find us
-- Explained: The tracked searches with a place of ours, as deep as results were loaded.
-- Unit: %
-- Better: higher
-- Of: searches
-- Datasets: keyword_rankings
-- Empty: no searches with a known volume
SELECT CASE WHEN place IS NOT NULL THEN weight ELSE 0 END AS part, weight AS whole,
       coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, NULL), search_reports.lacks_us(shows_us)) AS lacks
