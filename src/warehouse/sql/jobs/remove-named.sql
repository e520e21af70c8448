-- Removes jobs that have no slices, to make room for others of these names. Params: :names. Repeating changes nothing.
DELETE FROM searchmill.jobs WHERE name = ANY (:names::text[])
