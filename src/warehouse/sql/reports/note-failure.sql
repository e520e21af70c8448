-- Notes that a week could not be refreshed. After :maxFailures readers leave it out, since computing it may fail, too.
-- Params: :subject, :accountId, :week, :error, :maxFailures.
UPDATE searchmill.stale_weeks
   SET failures = failures + 1, failed_at = clock_timestamp(), error = :error, is_live = is_live AND failures + 1 < :maxFailures
 WHERE subject = :subject AND account_id = :accountId AND week = :week
