-- Brings a table's rows back to the coordinator. Params: :name, of a table in schema search. Locks: readers and writers of the table wait meanwhile.
SELECT searchmill.undistribute(:name)
