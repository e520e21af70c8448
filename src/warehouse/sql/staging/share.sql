-- Gives a staging table that this session has made to the role that all logins of the service share. Params: :executionId.
-- Locks: the table, which is new. Repeating changes nothing.
SELECT searchmill.share_staging(:executionId)
