-- What can be chosen on a board: the values in the newest 13 weeks of the summaries of an account. Views are read with the rights of the
-- caller.

CREATE OR REPLACE FUNCTION search_reports.web_property_name(of_account bigint, of_property bigint, of_weeks date[]) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_week date;
  dataset text;
  found   text;
BEGIN
  FOREACH of_week IN ARRAY of_weeks LOOP
    FOREACH dataset IN ARRAY search_reports.summarised_datasets() LOOP
      -- A login that may not read a table sees the web property by its number.
      CONTINUE WHEN NOT has_schema_privilege('search', 'USAGE') OR NOT has_table_privilege(format('search.%I', dataset), 'SELECT');
      EXECUTE format('SELECT web_property_name FROM search.%I
                       WHERE account_id = $1 AND time_period_start BETWEEN $2 AND $3 AND web_property_id = $4 LIMIT 1', dataset)
         INTO found USING of_account, of_week, of_week + 6, of_property;
      IF found <> '' THEN
        RETURN found;
      END IF;
    END LOOP;
  END LOOP;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION search_reports.web_property_name IS 'The name of a web property, from the first of some weeks that has it; NULL if '
  'none has.';

CREATE OR REPLACE FUNCTION search_reports.account_name(of_account bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  dataset text;
  found   text;
BEGIN
  FOREACH dataset IN ARRAY search_reports.summarised_datasets() LOOP
    -- A login that may not read a table sees the account by its number.
    CONTINUE WHEN NOT has_schema_privilege('search', 'USAGE') OR NOT has_table_privilege(format('search.%I', dataset), 'SELECT');
    EXECUTE format('SELECT account_name FROM search.%I WHERE account_id = $1 AND account_name <> %L
                     ORDER BY time_period_start DESC LIMIT 1', dataset, '')
       INTO found USING of_account;
    IF found IS NOT NULL THEN
      RETURN found;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION search_reports.account_name IS 'The name of an account, from its newest rows that have it; NULL if none have.';

CREATE OR REPLACE VIEW search_reports.accounts WITH (security_barrier) AS
SELECT account_id, bool_or(removed_at IS NULL) AS is_configured, search_reports.account_name(account_id) AS account_name
  FROM searchmill.jobs
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login)
 GROUP BY account_id;
COMMENT ON VIEW search_reports.accounts IS 'Accounts that jobs load or have loaded.';
COMMENT ON COLUMN search_reports.accounts.is_configured IS 'Whether a job is configured for it now.';
COMMENT ON COLUMN search_reports.accounts.account_name IS 'Its name in its newest rows that have one; NULL if none have, or the login may '
  'not read them.';

-- Marked weeks are left out, so that none is computed for this. In PL/pgSQL: Citus runs each of its queries on the node that has the
-- account.
CREATE OR REPLACE FUNCTION search_reports.choices(of_variable text, of_account bigint) RETURNS TABLE (value text, week date)
LANGUAGE plpgsql STABLE ROWS 100 SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT v.summary, ARRAY(
             SELECT DISTINCT p.week
               FROM (SELECT w.week, max(w.week) OVER () AS newest
                       FROM unnest(search_reports.summarised_datasets()) AS d CROSS JOIN LATERAL search_reports.weeks_of(d, of_account) AS w
                      WHERE v.subject = ANY (search_reports.subjects_of(d)) AND w.is_published) AS p
              WHERE p.week > p.newest - 7 * 13
                AND NOT EXISTS (SELECT FROM search_reports.marked_weeks m WHERE m.subject = v.subject AND m.account_id = of_account
                                AND m.week = p.week)) AS weeks
      FROM (VALUES ('search_values', 'rankings'), ('prompt_values', 'answers')) AS v (summary, subject)
  LOOP
    RETURN QUERY EXECUTE format('SELECT value, week FROM search_reports.%I WHERE account_id = $1 AND variable = $2 AND week = ANY ($3)',
                                part.summary)
      USING of_account, of_variable, part.weeks;
  END LOOP;
END
$$;
COMMENT ON FUNCTION search_reports.choices IS 'The values that can be chosen for a variable of boards (such as web_property, engine, '
  'country, device, assistant, topic or keyword_group): those in the newest 13 weeks of an account, each with the weeks that have it; '
  '(none) for what has no value. A row may come twice.';

CREATE OR REPLACE FUNCTION search_reports.has_value(of_account bigint, value text, summaries text[], expressions text[]) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found boolean := false;
BEGIN
  FOR place IN 1 .. coalesce(cardinality(summaries), 0) LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s WHERE account_id = $1 AND %s = $2)', summaries[place],
                   expressions[place]) INTO found USING of_account, value;
    EXIT WHEN found;
  END LOOP;
  RETURN found;
END
$$;
COMMENT ON FUNCTION search_reports.has_value IS 'Whether an account has a value in one of some views or tables, each with the expression '
  'that is compared with the value ($2).';

CREATE OR REPLACE FUNCTION search_reports.knows_choice(of_variable text, of_account bigint, value text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Weeks that are left out until they are summarised may have it.
  IF EXISTS (SELECT FROM search_reports.weeks WHERE account_id = of_account AND state = 'summarising') THEN
    RETURN true;
  END IF;
  IF of_variable IN ('keyword', 'page', 'site', 'prompt', 'competitor') THEN
    RETURN search_reports.knows_thing(CASE of_variable WHEN 'competitor' THEN 'site' ELSE of_variable END, of_account, value);
  END IF;
  RETURN search_reports.has_value(of_account, value, ARRAY['search_reports.search_values', 'search_reports.prompt_values'],
                                  array_fill(format('CASE variable WHEN %L THEN value END', CASE of_variable WHEN 'topics' THEN 'topic'
                                                    ELSE of_variable END),
                                             ARRAY[2]));
END
$$;
COMMENT ON FUNCTION search_reports.knows_choice IS 'Whether any week of an account has a value of a variable of boards (web_property, '
  'engine, country, device, assistant, topics or keyword_group, a kind of prompts, or the subject of a board). True while weeks are being '
  'summarised, because they may have it.';
