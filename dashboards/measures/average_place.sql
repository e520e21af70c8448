-- Title: Average best place
-- Explained: The mean of our best places in the tracked searches that have one. A search that has none does not count.
-- Unit: place
-- Better: lower
-- Of: searches
-- Datasets: keyword_rankings
-- Empty: no search finds us
SELECT place AS part, CASE WHEN place IS NOT NULL THEN 1 END AS whole,
       coalesce(CASE WHEN first_loaded > 1 THEN format('places before %s were not asked for (min_rank)', first_loaded) END,
                search_reports.lacks_us(shows_us)) AS lacks
