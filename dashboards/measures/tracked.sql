-- Title: Tracked searches
-- Explained: The searches that are tracked, as a whole that lines such as classes of places are a part of.
-- Unit: %
-- Better: higher
-- Of: searches
-- Datasets: keyword_rankings
-- Empty: no searches with a known volume
SELECT weight AS part, weight AS whole,
       coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, NULL), search_reports.lacks_us(shows_us)) AS lacks
