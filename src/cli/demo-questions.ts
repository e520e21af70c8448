// Three questions an analyst asks of the tables, as SQL to paste into psql. Lines fit a terminal of 80 columns.

export type DemoQuestion = Readonly<{ title: string; sql: string }>;

export const DEMO_QUESTIONS: readonly DemoQuestion[] = [
  {
    title: 'Which sites gained or lost positions over these weeks?',
    sql: `WITH ranks AS (
  SELECT root_domain, time_period_start AS week,
         avg(rank_standard) AS average_rank, count(*) AS keywords,
         min(time_period_start) OVER () AS first,
         max(time_period_start) OVER () AS last
    FROM search.highest_ranking_url_per_keyword GROUP BY 1, 2)
SELECT root_domain AS site,
       max(keywords) FILTER (WHERE week = last) AS keywords,
       round(max(average_rank) FILTER (WHERE week = first), 2) AS rank_then,
       round(max(average_rank) FILTER (WHERE week = last), 2) AS rank_now
  FROM ranks GROUP BY 1 ORDER BY 4`,
  },
  {
    title: 'Which assistants name our brands, in how many prompts, newest week?',
    sql: `SELECT ai_search_engine AS assistant, count(DISTINCT prompt) AS prompts,
       count(*) AS mentions,
       round(100.0 * avg(web_search_triggered::integer), 1) AS with_web_percent
  FROM search.ai_search_brands
 WHERE time_period_start =
       (SELECT max(time_period_start) FROM search.ai_search_brands)
 GROUP BY 1 ORDER BY 3 DESC`,
  },
  {
    title: 'Whose pages do the assistants cite most, newest week?',
    sql: `SELECT citation_domain AS domain, citation_attribution AS whose,
       count(*) AS citations,
       round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS share_percent
  FROM search.ai_search_citations
 WHERE time_period_start =
       (SELECT max(time_period_start) FROM search.ai_search_citations)
 GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 5`,
  },
];
