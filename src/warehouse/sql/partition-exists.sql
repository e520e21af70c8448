-- Whether a table is there. Params: $1 qualified name.
SELECT to_regclass($1) IS NOT NULL AS found
