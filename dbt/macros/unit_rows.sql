{# One row per tracked search or prompt and week, with the part and the whole of each measure, and the state of its week. An incremental run has the weeks
   whose state (search_reports.measure_states) is another one than that of the model's rows. Weeks stand in the statement one by one, so that Postgres
   reads no others. #}
{% macro unit_rows(measures, columns) %}
{%- set found = [] -%}
{%- if execute -%}
  {%- set query -%}
    SELECT s.account_id, s.week::text AS week, s.state
      FROM ({{ searchmill.week_states(measures) }}) AS s
    {%- if is_incremental() %}
     WHERE NOT EXISTS (SELECT FROM {{ this }} AS t WHERE t.account_id = s.account_id AND t.week = s.week AND t.state = s.state)
    {%- endif %}
  {%- endset -%}
  {%- set found = run_query(query).rows -%}
{%- endif -%}
{%- set weeks = {} -%}
{%- for row in found -%}
  {%- do weeks.setdefault(row[0], []).append("'" ~ row[1] ~ "'") -%}
{%- endfor -%}
SELECT u.account_id, u.week, {{ columns | join(', ') }},
  {%- for measure in measures %}
       sum(u.part) FILTER (WHERE u.measure = '{{ measure }}') AS {{ measure }}_part,
       sum(u.whole) FILTER (WHERE u.measure = '{{ measure }}') AS {{ measure }}_whole,
  {%- endfor %}
       s.state
  FROM (
  {%- for measure in measures %}
    {{ 'UNION ALL' if not loop.first }}
    SELECT '{{ measure }}' AS measure, m.account_id, m.week, {{ columns | join(', ') }}, m.part, m.whole
      FROM {{ source('search_reports', 'measure_' ~ measure) }} AS m
     WHERE {% for account, days in weeks.items() -%}
           m.account_id = {{ account }} AND m.week IN ({{ days | join(', ') }}) OR {% endfor -%} false
  {%- endfor %}
  ) AS u
  JOIN (VALUES
  {%- for row in found %}
    ({{ row[0] }}::bigint, '{{ row[1] }}'::date, '{{ row[2] }}'),
  {%- endfor %}
    (NULL::bigint, NULL::date, NULL)) AS s (account_id, week, state) ON s.account_id = u.account_id AND s.week = u.week
 GROUP BY u.account_id, u.week, {{ columns | join(', ') }}, s.state
{% endmacro %}

{# The weeks of some measures, each with a state that differs whenever a figure of it may. #}
{% macro week_states(measures) %}
SELECT m.account_id, m.week, md5(string_agg(m.measure || m.state, '' ORDER BY m.measure)) AS state
  FROM {{ source('search_reports', 'measure_states') }} AS m
 WHERE m.measure IN ('{{ measures | join("', '") }}')
 GROUP BY m.account_id, m.week
{% endmacro %}

{# Removes the weeks that the warehouse does not list any more. #}
{% macro remove_gone_weeks(measures) %}
{%- if is_incremental() -%}
DELETE FROM {{ this }} AS t
 WHERE NOT EXISTS (SELECT FROM {{ source('search_reports', 'measure_states') }} AS s
                    WHERE s.measure IN ('{{ measures | join("', '") }}') AND s.account_id = t.account_id AND s.week = t.week)
{%- endif -%}
{% endmacro %}
