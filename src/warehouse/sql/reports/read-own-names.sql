-- Names of brands of ours (search_reports.own_names). Params: :accountId. Result: names.
-- Not null: names.
SELECT search_reports.own_names(:accountId::bigint) AS names
