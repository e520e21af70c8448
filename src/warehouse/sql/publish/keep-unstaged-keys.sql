-- Removes from the differences the rows of other jobs whose keys are not staged: they stay in the table.
-- Result: as many rows. Repeating changes nothing.
DELETE FROM searchmill_changes c
 WHERE c.change = 'surplus'
   AND NOT EXISTS (SELECT FROM {staging} s
                    WHERE s.account_id = c.account_id AND s.time_period_start = c.time_period_start AND s._key = c._key)
