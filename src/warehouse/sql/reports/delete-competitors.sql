-- Removes configured competitors of an account that are not among these. Params: :accountId, :domains. Repeating changes nothing.
DELETE FROM searchmill.competitors WHERE account_id = :accountId AND domain <> ALL (:domains)
