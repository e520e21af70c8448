-- Removes the mark of a week that its node has. Params: :id. Others stay, as of what was published meanwhile.
DELETE FROM searchmill.stale_weeks WHERE id = :id
