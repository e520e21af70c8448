-- Tells the planner how many there are.
ANALYZE searchmill_changes
