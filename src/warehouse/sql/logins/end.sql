-- Ends a session of the pages, by a function with the owner's rights, because readers of the boards may only read.
-- Params: :digest (SHA-256 of the session's number). Result: none. Locks: none that others wait for.
-- Repeating changes nothing.
SELECT searchmill.end_session(:digest)
