-- Logical replication, at the second Postgres, in a database that "searchmill migrate" has made and no Searchmill loads into.
-- The rows of all months lie in one partition of each table, since partitions of months are made by loads.
CREATE TABLE search_partitions.keyword_rankings_all PARTITION OF search.keyword_rankings DEFAULT;
CREATE TABLE search_partitions.highest_ranking_url_per_keyword_all PARTITION OF search.highest_ranking_url_per_keyword DEFAULT;
CREATE TABLE search_partitions.ai_search_brands_all PARTITION OF search.ai_search_brands DEFAULT;
CREATE TABLE search_partitions.ai_search_citations_all PARTITION OF search.ai_search_citations DEFAULT;
CREATE TABLE search_partitions.ai_search_fan_out_all PARTITION OF search.ai_search_fan_out DEFAULT;
CREATE TABLE search_partitions.ai_search_sentiments_all PARTITION OF search.ai_search_sentiments DEFAULT;
CREATE TABLE search_partitions.ai_search_response_all PARTITION OF search.ai_search_response DEFAULT;

CREATE SUBSCRIPTION searchmill CONNECTION :'publisher' PUBLICATION searchmill;
