-- Distributes what is stored of the summaries as a table of schema search is. Params: :colocateWith.
-- Locks: readers and refreshes of summaries wait until their rows are on their nodes.
SELECT search_reports.distribute(:colocateWith::text::regclass)
