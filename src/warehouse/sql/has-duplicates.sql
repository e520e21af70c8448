-- Whether rows may share a key. By the key alone, which is quicker than with what goes before it in the primary key.
SELECT EXISTS (SELECT FROM {staging} GROUP BY _key HAVING count(*) > 1) AS found
