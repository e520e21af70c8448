-- Title: Answers citing us
-- Explained: The answers of assistants that cite one of our pages, of all answers collected.
-- Unit: %
-- Better: higher
-- Of: prompts
-- Datasets: ai_search_response, ai_search_citations
-- Empty: no answers
SELECT citing AS part, answers AS whole,
       CASE WHEN answers IS NULL THEN 'answers were not asked for'
            WHEN citing IS NULL THEN 'citations of our pages were not asked for' END AS lacks
