-- Marks later weeks of answers as not live that have a prompt whose kind nobody told then, and this week tells another one than they have; or that have the
-- kind of a prompt from this week, which does not tell it any more. Params: :accountId, :week.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT DISTINCT 'answers', f.account_id, f.week, false
  FROM search_stored.prompt_facts f
  LEFT JOIN (SELECT prompt, max(prompt_type) AS prompt_type FROM search_stored.prompt_facts
              WHERE account_id = :accountId AND week = :week AND told_in = :week GROUP BY prompt) AS told ON told.prompt = f.prompt
 WHERE f.account_id = :accountId AND f.week > :week
   AND (f.told_in = :week AND told.prompt IS NULL
        OR (f.told_in IS NULL OR f.told_in <= :week) AND told.prompt IS NOT NULL AND (f.told_in IS DISTINCT FROM :week OR f.prompt_type <> told.prompt_type))
