-- Which ledger this is.
SELECT id FROM searchmill.ledger
