-- Removes a staging table. Repeating changes nothing. Locks: the table; whoever reads it is waited for.
DROP TABLE IF EXISTS {staging}
