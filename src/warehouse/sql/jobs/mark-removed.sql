-- Marks jobs that are no longer configured, unless another running process has them. Their published rows stay.
-- Params: :configured names, :instanceId of the process that asks. Result: names newly removed. Repeating changes nothing.
UPDATE searchmill.jobs j SET removed_at = clock_timestamp()
 WHERE removed_at IS NULL AND name <> ALL (:configured::text[])
   AND NOT EXISTS (SELECT FROM searchmill.instances i
                    WHERE j.name = ANY (i.jobs) AND i.id <> :instanceId AND i.seen_at > clock_timestamp() - interval '60 seconds')
RETURNING name
