-- Which ledger this is. Locks: none.
SELECT id FROM searchmill.ledger
