-- Title: First places
-- Explained: The first places of the tracked searches, as the whole that the market shares of sites are a part of.
-- Unit: %
-- Better: higher
-- Of: searches
-- Datasets: keyword_rankings
-- Empty: no searches with a known volume
SELECT weight * places AS part, weight * places AS whole,
       search_reports.lacks_places(first_loaded, last_loaded, is_whole, places) AS lacks
