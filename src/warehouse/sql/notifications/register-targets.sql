-- Makes targets known. Params: :names. Repeating changes nothing.
INSERT INTO searchmill.notification_targets (name) SELECT unnest(:names::text[]) ON CONFLICT DO NOTHING
