-- Removes a staging table. Repeating changes nothing. Locks: the table; its readers are waited for.
DROP TABLE IF EXISTS {staging}
