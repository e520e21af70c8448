-- Gives back calls that were granted and never made: their slots are again as if they had not been taken.
-- Params: $1 budget, $2 kind (submit | read), $3 receipts of take-grants as JSON.
-- Locks: the slots, for one statement. A slot that was taken again or made anew since then is left alone, so repeating
-- changes nothing.
UPDATE searchmill.call_slots s SET granted_at = r."formerlyAt"
  FROM jsonb_to_recordset($3::jsonb) AS r(slot integer, "grantedAt" timestamptz, "formerlyAt" timestamptz)
 WHERE s.budget_id = $1 AND s.kind = $2 AND s.slot = r.slot AND s.granted_at = r."grantedAt"
