-- Names of brands of ours, in lower case and in order: those that the stored rows of any week attribute to You. Params: :accountId. Result: names.
-- Not null: names.
SELECT ARRAY(SELECT DISTINCT name COLLATE "C" FROM search_stored.ai_names WHERE account_id = :accountId AND is_own ORDER BY 1) AS names
