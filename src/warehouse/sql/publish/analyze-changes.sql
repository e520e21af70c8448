-- Tells the planner how few or many they are.
ANALYZE searchmill_changes
