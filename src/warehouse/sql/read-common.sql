-- What a staging table lacks. Params: $1 table. Result: common, as text; null when it lacks nothing, or is not there.
SELECT obj_description(to_regclass($1), 'pg_class') AS common
