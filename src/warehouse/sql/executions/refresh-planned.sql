-- Gives executions that are not submitted yet the currently configured question. Consent to fewer rows belongs to a question.
-- A process that is about to submit one has read the former question, and loses its lease.
-- Params: :sliceId, :connection, :filtersDigest, :request (the submit body), :mayShrink. Repeating changes nothing.
UPDATE searchmill.executions
   SET connection = :connection, filters_digest = :filtersDigest, request = :request, may_shrink = :mayShrink OR (may_shrink AND filters_digest = :filtersDigest),
       lease_token = lease_token + 1, lease_owner = NULL, lease_until = NULL
 WHERE slice_id = :sliceId AND state = 'planned' AND ended_at IS NULL AND ((connection, filters_digest) IS DISTINCT FROM (:connection, :filtersDigest) OR (:mayShrink AND NOT may_shrink))
