-- Budgets were named by a digest of base URL and credential: whoever could read the ledger could test guesses of a credential against
-- it. They get names that depend on a salt, which only the owner and searchmill_writer can read: HMAC-SHA256 of the digest.
-- Guarantees: a budget keeps its slots and pauses, so that no call more is granted. No digest without salt stays, and none can be
-- written: a process of an earlier release fails to start rather than open a second budget for the same credential.
-- Old processes: must be stopped, since they know budgets by names that are gone.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE TABLE searchmill.budget_salt (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- 32 bytes of 244 random bits, by nothing but what every server has.
  salt    bytea   NOT NULL DEFAULT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) CHECK (length(salt) = 32)
);
COMMENT ON TABLE searchmill.budget_salt IS 'What keeps the names of budgets from telling anything of credentials. One row, never changed. Readers cannot see it.';
COMMENT ON COLUMN searchmill.budget_salt.is_only IS 'True: there is one row.';
COMMENT ON COLUMN searchmill.budget_salt.salt IS 'Key of the digests in budgets.id.';
INSERT INTO searchmill.budget_salt DEFAULT VALUES;
REVOKE ALL ON searchmill.budget_salt FROM PUBLIC;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_reader') THEN
    REVOKE ALL ON searchmill.budget_salt FROM searchmill_reader;
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    REVOKE ALL ON searchmill.budget_salt FROM searchmill_writer;
    GRANT SELECT ON searchmill.budget_salt TO searchmill_writer;
  END IF;
END
$$;

-- Slots follow the name of their budget.
ALTER TABLE searchmill.call_slots
  DROP CONSTRAINT call_slots_budget_id_fkey,
  ADD CONSTRAINT call_slots_budget_id_fkey FOREIGN KEY (budget_id) REFERENCES searchmill.budgets ON UPDATE CASCADE ON DELETE CASCADE;

DO $$
DECLARE
  salt      bytea := (SELECT s.salt FROM searchmill.budget_salt s);
  inner_key bytea := '';
  outer_key bytea := '';
  key_byte  integer;
BEGIN
  -- HMAC as in RFC 2104: the key, filled up to a block of 64 bytes, combined with 0x36 and with 0x5c.
  FOR i IN 0..63 LOOP
    key_byte := CASE WHEN i < 32 THEN get_byte(salt, i) ELSE 0 END;
    inner_key := inner_key || set_byte('\x00', 0, key_byte # 54);
    outer_key := outer_key || set_byte('\x00', 0, key_byte # 92);
  END LOOP;
  UPDATE searchmill.connections
     SET budget_id = encode(sha256(outer_key || sha256(inner_key || convert_to(budget_id, 'UTF8'))), 'hex');
  UPDATE searchmill.budgets
     SET id = encode(sha256(outer_key || sha256(inner_key || convert_to(id, 'UTF8'))), 'hex');
END
$$;

ALTER TABLE searchmill.budgets ADD CONSTRAINT budgets_id_is_salted CHECK (id !~ '^[0-9a-f]{32}$');
COMMENT ON COLUMN searchmill.budgets.id IS 'Salted digest of base URL and credential; a changed credential is a new budget.';
