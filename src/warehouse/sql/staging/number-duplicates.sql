-- Numbers rows that share a key, so that every duplicate the service sent keeps a row of its own. The order is that of
-- their values, so the same answer gets the same numbers in any order of pages.
-- Repeating changes nothing.
UPDATE {staging} t SET _occurrence = n.occurrence
  FROM (SELECT s.ctid AS row_id,
               row_number() OVER (PARTITION BY s.account_id, s.time_period_start, s._key ORDER BY {order}, s._page, s._position) AS occurrence
          FROM {staging} s
         WHERE (s.account_id, s.time_period_start, s._key) IN (
                 SELECT account_id, time_period_start, _key FROM {staging} GROUP BY 1, 2, 3 HAVING count(*) > 1)) n
 WHERE t.ctid = n.row_id AND n.occurrence > 1
