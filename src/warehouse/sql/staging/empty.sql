-- Removes the rows of an ended execution's staging table that no sweep has removed yet, so that a replay can use it.
-- Repeating changes nothing.
DELETE FROM {staging}
