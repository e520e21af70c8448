-- A message was accepted for some recipients, and others were put off. It is tried again later, and those behind it go on.
-- Params: :id, :settled digests of recipients that are not tried again, :answer, :waitMs. Repeating changes nothing but times.
UPDATE searchmill.notifications
   SET attempted_at = clock_timestamp(), attempts = attempts + 1, answer = :answer, settled = :settled::text[],
       due_at = clock_timestamp() + :waitMs * interval '1 millisecond'
 WHERE id = :id AND delivered_at IS NULL
