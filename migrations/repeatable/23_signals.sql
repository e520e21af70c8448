-- Signals: the weeks that rules compare, and what rules have found.

CREATE OR REPLACE VIEW search_reports.revisions WITH (security_barrier) AS
SELECT DISTINCT s.dataset, s.account_id, s.job, search_reports.week_of(s.window_start + 7 * n) AS week
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
 CROSS JOIN LATERAL generate_series(0, (s.window_end - s.window_start) / 7) AS n
 WHERE e.ended_at IS NULL AND e.state <> 'held' AND s.published_at IS NOT NULL
   AND ((SELECT search_reports.sees_all_accounts()) OR s.account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.revisions IS 'Dataset x account x job x week: published weeks that are being loaded again, so that their '
  'figures may change.';
COMMENT ON COLUMN search_reports.revisions.job IS 'Job that loads it again.';

-- A rule is about whole weeks, and about units whose rows show its measure.
CREATE OR REPLACE FUNCTION search_reports.signal_weeks(
  of_measure text, c search_reports.choices, of_week date, by_level boolean DEFAULT true
) RETURNS TABLE (week date, before date, silence text)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  span text := format('%s..%s', of_week - 7, of_week);
BEGIN
  RETURN QUERY
  WITH about AS MATERIALIZED (
    SELECT m.datasets, m.empty FROM search_reports.measures() AS m WHERE m.name = of_measure
  ), levels AS MATERIALIZED (
    -- A week in which nothing was found is a week like any other.
    SELECT l.week, min(l.reason) AS reason FROM search_reports.levels(of_measure, NULL, c, span) AS l, about a
     WHERE by_level AND l.level IS NULL AND l.reason <> a.empty GROUP BY l.week
  ), lacks AS MATERIALIZED (
    SELECT w.week, coalesce(w.gap, w.note, r.note, o.note, l.reason) AS lack
      FROM search_reports.measure_weeks(of_measure, c.account, span) AS w
      LEFT JOIN LATERAL (
            SELECT format('being revised (%s)', string_agg(DISTINCT v.job, ', ' ORDER BY v.job)) AS note
              FROM search_reports.revisions v, about a
             WHERE v.dataset = ANY (a.datasets) AND v.account_id = c.account AND v.week = w.week
            HAVING count(*) > 0) AS r ON true
      LEFT JOIN LATERAL (
            -- Own brands without an answer: the answers that they belong to seem not to name us.
            SELECT format('%s rows of own brands found no answer, beside %s answers that name us', sum(p.unmet_brands),
                          coalesce(sum(p.naming), 0)) AS note
              FROM search_reports.prompts(c, ARRAY[w.week]) AS p
             WHERE of_measure = 'mention_rate'
            HAVING 10 * sum(p.unmet_brands) > sum(p.unmet_brands) + coalesce(sum(p.naming), 0)) AS o ON true
      LEFT JOIN levels l ON l.week = w.week
  ), judged AS (
    SELECT CASE WHEN n.week IS NULL THEN 'not expected yet' WHEN n.lack IS NOT NULL THEN n.lack
                WHEN b.week IS NULL THEN 'the week before it is not loaded' ELSE 'the week before it: ' || b.lack END AS silence
      FROM (SELECT 1) AS one LEFT JOIN lacks n ON n.week = of_week LEFT JOIN lacks b ON b.week = of_week - 7
  )
  SELECT CASE WHEN j.silence IS NULL THEN of_week END, CASE WHEN j.silence IS NULL THEN of_week - 7 END, j.silence FROM judged j;
END
$$;
COMMENT ON FUNCTION search_reports.signal_weeks IS 'The week that a rule looks at and the week before it. If either is missing, held, '
  'incomplete or being revised, or, by_level, no row of it shows the measure, silence says so and there is no week.';

CREATE OR REPLACE VIEW search_reports.signal_rules WITH (security_barrier) AS
SELECT account_id, week, rule, place, title,
       CASE WHEN EXISTS (SELECT FROM searchmill.week_changes c
                          WHERE c.dataset = ANY (l.datasets) AND c.account_id = l.account_id AND c.week BETWEEN l.week - 7 * (l.weeks - 1)
                            AND l.week AND c.cursor > l.cursor)
            THEN 'has changed, and is looked at again within a minute' ELSE silence END AS silence,
       looked_at
  FROM searchmill.signal_looks l
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.signal_rules IS 'Account x week x rule of signals: whether the rule can say anything about the week.';

CREATE OR REPLACE VIEW search_reports.signals WITH (security_barrier) AS
SELECT account_id, week, rule, title, dense_rank() OVER (PARTITION BY account_id, week ORDER BY heaviest DESC, rank_of_rule) AS rule_place,
       subject, text,
       weight, about, found_at, signal_id, row_number() OVER (PARTITION BY account_id, week, rule ORDER BY weight DESC,
                                                              subject COLLATE "C") AS place
  FROM (SELECT s.account_id, s.week, s.rule, r.title, r.place AS rank_of_rule, s.subject, s.text, s.weight, s.about, s.found_at,
        s.id AS signal_id,
               max(s.weight) OVER (PARTITION BY s.account_id, s.week, s.rule) AS heaviest
          FROM searchmill.signals s
          JOIN search_reports.signal_rules r ON r.account_id = s.account_id AND r.week = s.week AND r.rule = s.rule AND r.silence IS NULL
         WHERE s.taken_back_at IS NULL) AS found;
COMMENT ON VIEW search_reports.signals IS 'What rules have found in the weeks of an account and what still holds. A week that is held, '
  'incomplete or being revised, or whose rows do not show the measure, has none: search_reports.signal_rules says why.';
COMMENT ON COLUMN search_reports.signals.title IS 'Title of the rule.';
COMMENT ON COLUMN search_reports.signals.rule_place IS 'Place of the rule among those that found something in the week: the one with the '
  'weightiest signal first.';
COMMENT ON COLUMN search_reports.signals.subject IS 'Subject of the signal, such as a site.';
COMMENT ON COLUMN search_reports.signals.signal_id IS 'Number of the signal.';
COMMENT ON COLUMN search_reports.signals.place IS 'Its place among those of its rule and week, the weightiest first.';
