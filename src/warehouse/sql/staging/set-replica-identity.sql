-- Lets rows of a staging table be changed where a publication FOR ALL TABLES holds it: it has no key to know them by.
-- Locks: the table, which is new.
ALTER TABLE {staging} REPLICA IDENTITY FULL
