-- Deletes the stored rows of a summary's week. Params: :accountId, :week.
DELETE FROM {stored} WHERE account_id = :accountId AND week = :week
