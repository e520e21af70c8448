-- A process that has stopped. Params: :id. Repeating changes nothing.
DELETE FROM searchmill.instances WHERE id = :id
