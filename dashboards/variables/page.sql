-- Own pages that rank in the newest week, then cited ones, each by how often.
SELECT value, label FROM search_reports.things('page', :account::bigint) ORDER BY number
