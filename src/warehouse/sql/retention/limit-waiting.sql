-- Lets no statement of the transaction wait longer for a lock. Params: :lockTimeoutMs, as text.
SELECT set_config('lock_timeout', :lockTimeoutMs, true)
