-- Writes down that somebody did something to a job, to some of its days, to a connection, or to an annotation of an account.
-- Params: :action, :actor, :reason, :account, :job, :connection, :windowStart, :windowEnd; what is not known is null. Locks: none.
INSERT INTO searchmill.actions (actor, action, reason, account_id, job, connection, window_start, window_end)
VALUES (:actor, :action, :reason, :account, :job, :connection, :windowStart, :windowEnd)
