-- Writes down that somebody did something to a job, to some of its days, or to a connection.
-- Params: :action, :actor, :reason, :job, :connection, :windowStart, :windowEnd; what is not known is null. Locks: none.
INSERT INTO searchmill.actions (actor, action, reason, job, connection, window_start, window_end)
VALUES (:actor, :action, :reason, :job, :connection, :windowStart, :windowEnd)
