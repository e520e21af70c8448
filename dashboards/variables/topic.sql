-- Topics of answers and citations of the newest week, by how many they are.
SELECT value, label FROM search_reports.things('topic', :account::bigint) ORDER BY number
