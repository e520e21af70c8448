-- Title: Citations
-- Explained: The citations in answers of assistants, as the whole that the citation shares of sites are a part of.
-- Unit: %
-- Better: higher
-- Of: prompts
-- Datasets: ai_search_citations
-- Empty: no citations
SELECT citations AS part, citations AS whole,
       CASE WHEN citations IS NULL THEN 'only a part of the citations was asked for' END AS lacks
