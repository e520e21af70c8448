-- Facts about the server of the session and the connection to it. Result: version, encoding, isStandby, isReadOnly, isEncrypted,
-- isLocal (a socket, or the same machine), now. Locks: none.
-- Not null: version, encoding, isStandby, isReadOnly, isEncrypted, isLocal, now.
SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
       pg_catalog.pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly",
       coalesce((SELECT s.ssl FROM pg_catalog.pg_stat_ssl s WHERE s.pid = pg_catalog.pg_backend_pid()), false) AS "isEncrypted",
       coalesce(pg_catalog.inet_server_addr() = pg_catalog.inet_client_addr(), true) AS "isLocal",
       clock_timestamp() AS now
