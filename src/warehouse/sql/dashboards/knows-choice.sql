-- Whether any week of an account has a value of a variable. Params: :variable, :accountId, :value. Result: found. Locks: none.
-- Not null: found.
SELECT search_reports.knows_choice(:variable, :accountId, :value) AS found
