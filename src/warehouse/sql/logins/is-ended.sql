-- Whether a session of the pages was ended. Params: :digest (SHA-256 of the session's number). Result: isEnded. Locks: none.
-- Not null: isEnded.
SELECT EXISTS (SELECT FROM searchmill.ended_sessions s WHERE s.digest = :digest) AS "isEnded"
