-- Makes it a partition. Locks: SHARE UPDATE EXCLUSIVE on the table, which readers and writers do not notice.
ALTER TABLE {table} ATTACH PARTITION {partition} FOR VALUES FROM ({from}) TO ({to})
