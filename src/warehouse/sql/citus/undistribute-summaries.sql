-- Brings what is stored of the summaries back to the coordinator. Locks: readers and refreshes of summaries wait meanwhile.
SELECT search_reports.undistribute()
