-- A process that has stopped. Params: $1 id. Repeating changes nothing.
DELETE FROM searchmill.instances WHERE id = $1
