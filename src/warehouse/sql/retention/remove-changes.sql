-- Removes old changes of weeks. The latest change of each week and of each slice stays, so that a first publication is recognised.
-- Params: :ageMs, :maxRows. Result: changes, their number. Locks: the rows it removes. Repeating finds what is left.
-- Not null: changes.
WITH removed AS (
  DELETE FROM searchmill.week_changes
   WHERE cursor IN (SELECT c.cursor FROM searchmill.week_changes c
                     WHERE c.changed_at < clock_timestamp() - :ageMs * interval '1 millisecond'
                       AND EXISTS (SELECT FROM searchmill.week_changes later
                                    WHERE later.dataset = c.dataset AND later.account_id = c.account_id AND later.week = c.week
                                      AND later.cursor > c.cursor AND (later.kind <> 'held' OR c.kind = 'held') AND later.slice_id IS NOT DISTINCT FROM c.slice_id)
                     LIMIT :maxRows)
  RETURNING 1
)
SELECT count(*) AS changes FROM removed
