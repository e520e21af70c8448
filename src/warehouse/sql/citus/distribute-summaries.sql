-- Distributes the stored summaries in the same way as a table of schema search. Params: :colocateWith.
-- Locks: readers and refreshes of summaries wait until their rows are on their nodes.
SELECT search_reports.distribute(:colocateWith::text::regclass)
