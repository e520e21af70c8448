-- Logical replication, at Searchmill's Postgres (wal_level = logical), as its owner. Partitions are published as the tables that they belong to.
-- week_changes brings what logical replication does not: that keep_weeks removed a week.
CREATE PUBLICATION searchmill FOR TABLE
  search.keyword_rankings, search.highest_ranking_url_per_keyword, search.ai_search_brands, search.ai_search_citations,
  search.ai_search_fan_out, search.ai_search_sentiments, search.ai_search_response, searchmill.week_changes
  WITH (publish_via_partition_root = true);
