-- Adds aliases of an account. Params: :accountId, and :kinds, :spellings, :meanings, one each of every alias.
INSERT INTO searchmill.aliases (account_id, kind, spelling, meaning)
SELECT :accountId, kind, spelling, meaning
  FROM unnest(:kinds::text[], :spellings::text[], :meanings::text[]) AS a (kind, spelling, meaning)
