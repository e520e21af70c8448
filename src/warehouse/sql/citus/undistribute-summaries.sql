-- Brings the stored summaries back to the coordinator. Locks: readers and refreshes of summaries wait meanwhile.
SELECT search_reports.undistribute()
