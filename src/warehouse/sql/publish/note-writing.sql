-- Deletes nothing, as no row has the number 0: Citus hears that this transaction writes to the nodes of the accounts. Of an INSERT from staging
-- it does not note that where a SELECT came before (13.2). It would commit there unprepared, after the coordinator has committed, and only
-- warn when that fails: the rows of a published slice would be lost.
-- Params: :accounts, :day.
DELETE FROM {table}
 WHERE account_id = ANY (:accounts) AND time_period_start = :day AND _key = '00000000-0000-0000-0000-000000000000' AND _occurrence = 0
