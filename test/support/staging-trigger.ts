// Triggers on tables of staging, which are made while loads run.

/** SQL by which each table of staging gets a trigger as soon as it is made. `of`: when it fires and what it executes, as after CREATE TRIGGER ... BEFORE INSERT ON a table. */
export const onEachStagingTable = (of: string): string => `
  CREATE FUNCTION public.on_staging() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE made record;
  BEGIN
    FOR made IN SELECT object_identity FROM pg_event_trigger_ddl_commands() WHERE schema_name = 'searchmill_staging' AND object_type = 'table' LOOP
      EXECUTE format('CREATE TRIGGER of_test BEFORE INSERT ON %s ${of}', made.object_identity);
    END LOOP;
  END $$;
  CREATE EVENT TRIGGER on_staging ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.on_staging()`;
