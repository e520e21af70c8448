-- Title: Mention rate
-- Explained: The answers of assistants that name one of our brands, of all answers collected.
-- Unit: %
-- Better: higher
-- Of: prompts
-- Datasets: ai_search_response, ai_search_brands
-- Empty: no answers
SELECT naming AS part, answers AS whole,
       CASE WHEN answers IS NULL THEN 'answers were not asked for'
            WHEN naming IS NULL THEN 'our brands were not asked for, or meet no answer' END AS lacks,
       CASE WHEN unmet_brands > 0 THEN 'rows of own brands found no answer' END AS doubt
