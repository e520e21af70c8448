{# A part has a whole, and neither is below zero; a share is at most the whole. #}
{% test part_of_whole(model, measure, is_share) %}
{%- set part, whole = measure ~ '_part', measure ~ '_whole' %}
SELECT account_id, week, unit, {{ part }}, {{ whole }} FROM {{ model }}
 WHERE {{ part }} < 0 OR {{ whole }} < 0 OR ({{ whole }} IS NULL AND {{ part }} IS NOT NULL)
    {%- if is_share %} OR {{ part }} > {{ whole }} + 1e-9 * abs({{ whole }}){% endif %}
{% endtest %}
