-- Gives a staging table the columns it lacks, with one value for all rows that are there. No row is written for it.
-- Placeholders: the columns with their defaults, literals.
ALTER TABLE {staging} {added}
