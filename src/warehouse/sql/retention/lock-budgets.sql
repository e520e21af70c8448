-- Locks budgets that may go: from which no call was granted for long. A process that registers a connection holds the budget's row, so that
-- retention/remove-budgets, which comes next, sees the connections of those that were locked. Params: :ageMs, :maxRows. Result: id.
-- Locks: these budgets, until the transaction ends; those that others hold are passed by.
SELECT b.id
  FROM searchmill.budgets b
 WHERE b.created_at < clock_timestamp() - :ageMs * interval '1 millisecond'
   AND NOT EXISTS (SELECT FROM searchmill.connections c WHERE c.budget_id = b.id)
   AND NOT EXISTS (SELECT FROM searchmill.call_slots s
                    WHERE s.budget_id = b.id AND s.granted_at >= clock_timestamp() - :ageMs * interval '1 millisecond')
 LIMIT :maxRows
   FOR UPDATE OF b SKIP LOCKED
