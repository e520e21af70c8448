-- Signals: the weeks that rules compare, and what rules have found.

CREATE OR REPLACE VIEW search_reports.revisions WITH (security_barrier) AS
SELECT DISTINCT s.dataset, s.account_id, s.job, search_reports.week_of(s.window_start + 7 * n) AS week
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
 CROSS JOIN LATERAL generate_series(0, (s.window_end - s.window_start) / 7) AS n
 WHERE e.ended_at IS NULL AND e.state <> 'held' AND s.published_at IS NOT NULL
   AND ((SELECT search_reports.sees_all_accounts()) OR s.account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.revisions IS 'Dataset x account x job x week: published weeks that are being loaded again, so that their figures may change.';
COMMENT ON COLUMN search_reports.revisions.job IS 'Job that loads it again.';

CREATE OR REPLACE FUNCTION search_reports.signal_pair(of_datasets text[], of_account bigint, choices jsonb, of_week date, is_by_line boolean DEFAULT false)
RETURNS TABLE (week date, before date, asked jsonb, silence text)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  of_all constant text[] := '{tracked,rows_of,met}';
BEGIN
  RETURN QUERY
  WITH frame AS MATERIALIZED (
    SELECT week, gap, nullif(concat_ws('; ', note, asked #>> '{asked,0,lost,*}'), '') AS note, asked, asked ->> 'unasked' AS unasked,
           CASE WHEN is_by_line THEN (search_reports.compared(search_reports.without_tracked(asked -> 'asked', of_all), search_reports.without_tracked(asked -> 'before', of_all), '{}', true)).change
                ELSE asked ->> 'change' END AS change
      FROM search_reports.frame(of_datasets, of_account, choices, format('%s..%s', of_week - 14, of_week))
  ), revised AS (
    SELECT week, format('being revised (%s)', string_agg(DISTINCT job, ', ' ORDER BY job)) AS note
      FROM search_reports.revisions
     WHERE dataset = ANY (of_datasets) AND account_id = of_account AND week IN (of_week, of_week - 7)
     GROUP BY week
  ), judged AS (
    SELECT f.asked, CASE WHEN f.week IS NULL THEN 'not expected yet'
                         WHEN coalesce(f.gap, f.note, n.note, f.unasked) IS NOT NULL THEN coalesce(f.gap, f.note, n.note, f.unasked)
                         WHEN b.week IS NULL THEN 'the week before it is not loaded'
                         WHEN coalesce(b.gap, b.note, e.note) IS NOT NULL THEN 'the week before it: ' || coalesce(b.gap, b.note, e.note)
                         WHEN b.unasked IS NOT NULL THEN 'of the week before it, this was not asked for'
                         ELSE f.change END AS silence
      FROM (SELECT of_week AS week) AS w LEFT JOIN frame f ON f.week = w.week LEFT JOIN frame b ON b.week = w.week - 7
      LEFT JOIN revised n ON n.week = w.week LEFT JOIN revised e ON e.week = w.week - 7
  )
  SELECT CASE WHEN j.silence IS NULL THEN of_week END, CASE WHEN j.silence IS NULL THEN of_week - 7 END, j.asked, j.silence FROM judged j;
END
$$;
COMMENT ON FUNCTION search_reports.signal_pair IS 'The week that a rule looks at and the week before it, from search_reports.frame. If either is missing, held, incomplete or being revised, or they answer different questions, silence says so and there is no week. A rule about single assistants, topics or prompts (is_by_line) checks by itself that each of them is asked the same in both weeks, so a change of everything that is tracked does not silence it.';

-- Statements about our places need results of ours, asked for from the first place on.
CREATE OR REPLACE FUNCTION search_reports.own_places_pair(of_account bigint, of_week date)
RETURNS TABLE (week date, before date, asked jsonb, silence text)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT CASE WHEN j.silence IS NULL THEN p.week END, CASE WHEN j.silence IS NULL THEN p.before END, p.asked, j.silence
    FROM search_reports.signal_pair('{keyword_rankings}', of_account, '{}', of_week) AS p
   CROSS JOIN LATERAL (SELECT coalesce(p.silence, search_reports.our_places_gap(of_account, p.asked, NULL)) AS silence) AS j;
END
$$;
COMMENT ON FUNCTION search_reports.own_places_pair IS 'The weeks of search_reports.signal_pair for rules about our places in rankings. silence may also say that no site is known to be ours, or that our results or the first places were not asked for.';

-- Answers that name us are unknown if brands and answers of a week do not match.
CREATE OR REPLACE FUNCTION search_reports.naming_pair(of_account bigint, of_week date)
RETURNS TABLE (week date, before date, asked jsonb, silence text)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  choices constant jsonb := '{"brand_attribution": "you", "prompt_type": "unbranded"}';
BEGIN
  RETURN QUERY
  SELECT CASE WHEN j.silence IS NULL THEN p.week END, CASE WHEN j.silence IS NULL THEN p.before END, p.asked, j.silence
    FROM search_reports.signal_pair('{ai_search_response,ai_search_brands}', of_account, choices, of_week, true) AS p
   CROSS JOIN LATERAL (SELECT coalesce(p.silence, min(b.gap)) AS silence FROM search_reports.joined_brands(of_account, ARRAY[p.week, p.before]) AS b) AS j;
END
$$;
COMMENT ON FUNCTION search_reports.naming_pair IS 'The weeks of search_reports.signal_pair for rules by line about answers to unbranded prompts that name us. silence may also say that brands and answers do not match.';

CREATE OR REPLACE VIEW search_reports.signal_rules WITH (security_barrier) AS
SELECT account_id, week, rule, place, title,
       CASE WHEN EXISTS (SELECT FROM searchmill.week_changes c
                          WHERE c.dataset = ANY (l.datasets) AND c.account_id = l.account_id AND c.week BETWEEN l.week - 7 * (l.weeks - 1) AND l.week AND c.cursor > l.cursor)
            THEN 'has changed, and is looked at again within a minute' ELSE silence END AS silence,
       looked_at
  FROM searchmill.signal_looks l
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.signal_rules IS 'Account x week x rule of signals: whether the rule can say anything about the week.';

CREATE OR REPLACE VIEW search_reports.signals WITH (security_barrier) AS
SELECT account_id, week, rule, title, dense_rank() OVER (PARTITION BY account_id, week ORDER BY heaviest DESC, rank_of_rule) AS rule_place, subject, text,
       weight, about, found_at, signal_id, row_number() OVER (PARTITION BY account_id, week, rule ORDER BY weight DESC, subject COLLATE "C") AS place
  FROM (SELECT s.account_id, s.week, s.rule, r.title, r.place AS rank_of_rule, s.subject, s.text, s.weight, s.about, s.found_at, s.id AS signal_id,
               max(s.weight) OVER (PARTITION BY s.account_id, s.week, s.rule) AS heaviest
          FROM searchmill.signals s
          JOIN search_reports.signal_rules r ON r.account_id = s.account_id AND r.week = s.week AND r.rule = s.rule AND r.silence IS NULL
         WHERE s.taken_back_at IS NULL) AS found;
COMMENT ON VIEW search_reports.signals IS 'What rules have found in the weeks of an account and what still holds. A week that is held, incomplete, being revised or of another question has none: search_reports.signal_rules says why.';
COMMENT ON COLUMN search_reports.signals.title IS 'Title of the rule.';
COMMENT ON COLUMN search_reports.signals.rule_place IS 'Place of the rule among those that found something in the week: the one with the weightiest signal first.';
COMMENT ON COLUMN search_reports.signals.subject IS 'Subject of the signal, such as a site.';
COMMENT ON COLUMN search_reports.signals.signal_id IS 'Number of the signal.';
COMMENT ON COLUMN search_reports.signals.place IS 'Its place among those of its rule and week, the weightiest first.';
