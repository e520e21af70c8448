-- DuckDB: reads the tables where they are, and writes a week to a file. Give the connection by PGHOST, PGUSER and so on.
INSTALL postgres;
LOAD postgres;
ATTACH '' AS warehouse (TYPE postgres, READ_ONLY);

SELECT time_period_start AS week, root_domain AS site, count(*) AS results
  FROM warehouse.search.keyword_rankings
 WHERE account_id = 12345 AND time_period_start >= DATE '2026-11-01' AND rank_standard <= 3
 GROUP BY 1, 2 ORDER BY 1 DESC, 3 DESC;

COPY (SELECT * FROM warehouse.search.keyword_rankings WHERE account_id = 12345 AND time_period_start = DATE '2026-11-08')
  TO 'keyword_rankings-12345-2026-11-08.parquet' (FORMAT parquet);
