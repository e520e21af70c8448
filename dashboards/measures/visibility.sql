-- Title: Visibility
-- Explained: How much of the first places of the tracked searches our results hold. A place that several results share counts in parts.
-- Unit: %
-- Better: higher
-- Of: searches
-- Datasets: keyword_rankings
-- Empty: no searches with a known volume
SELECT weight * held AS part, weight * places AS whole,
       coalesce(search_reports.lacks_places(first_loaded, last_loaded, is_whole, places),
                search_reports.lacks_us(shows_us)) AS lacks
