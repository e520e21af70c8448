-- Title: Citation share
-- Explained: The citations of our pages, of all citations in answers.
-- Unit: %
-- Better: higher
-- Of: prompts
-- Datasets: ai_search_citations
-- Empty: no citations
SELECT own_citations AS part, citations AS whole,
       CASE WHEN citations IS NULL THEN 'only a part of the citations was asked for'
            WHEN own_citations IS NULL THEN 'citations of our pages were not asked for' END AS lacks,
       CASE WHEN unattributed > 0 THEN 'of some citations nobody knows whose they are' END AS doubt
