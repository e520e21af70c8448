-- Gives all rows of a staging table keys of another version, and notes the version with the execution.
-- Params: :executionId, :keyVersion. Placeholders: the arguments of the key's function.
-- Locks: the staged rows and the execution's row, until the transaction ends. Repeating gives the same keys.
WITH renewed AS (
  UPDATE {staging} SET _key = searchmill.row_key({identity})
)
UPDATE searchmill.executions SET key_version = :keyVersion WHERE id = :executionId
