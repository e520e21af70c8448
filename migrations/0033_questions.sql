-- Jobs may get other names, and their slices go with them.
-- Guarantees: nothing that is there changes.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.slices DROP CONSTRAINT slices_job_fkey,
  ADD CONSTRAINT slices_job_fkey FOREIGN KEY (job) REFERENCES searchmill.jobs ON UPDATE CASCADE;
