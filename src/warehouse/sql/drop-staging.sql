-- Repeating changes nothing.
DROP TABLE IF EXISTS {staging}
