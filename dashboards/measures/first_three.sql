-- Title: Searches in the first three
-- Explained: The tracked searches in which a result of ours is among the first three.
-- Unit: %
-- Better: higher
-- Of: searches
-- Datasets: keyword_rankings
-- Empty: no searches with a known volume
SELECT CASE WHEN place <= 3 THEN weight ELSE 0 END AS part, weight AS whole,
       coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, 3), search_reports.lacks_us(shows_us)) AS lacks
