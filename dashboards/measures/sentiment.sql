-- Title: Sentiment
-- Explained: Positive mentions of our brands and half of the neutral ones, of all mentions that have a sentiment.
-- Unit: %
-- Better: higher
-- Of: prompts
-- Datasets: ai_search_sentiments
-- Empty: no mentions of ours
SELECT positive + neutral / 2.0 AS part, positive + neutral + negative AS whole,
       CASE WHEN positive IS NULL THEN 'not all sentiments of our brands were asked for' END AS lacks,
       CASE WHEN unvalued > 0 THEN 'some mentions have another sentiment, or none' END AS doubt
