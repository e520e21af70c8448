-- Statistics for the joins that follow: autovacuum never sees a table this young.
ANALYZE {staging} ({columns})
