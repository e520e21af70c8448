-- Stores a summary's week as it is computed now. Params: :accountId, :week. Result: as many rows.
INSERT INTO {stored} SELECT * FROM {compute}(:accountId, :week)
