-- Keeps other sessions from reading and writing the tables until the transaction ends. Placeholders: {tables}, qualified names with commas between them.
-- Locks: the tables and their partitions, also on the nodes.
LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE
