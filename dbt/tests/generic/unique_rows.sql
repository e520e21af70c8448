{# No two rows have the same values in these columns. #}
{% test unique_rows(model, columns) %}
SELECT {{ columns | join(', ') }}, count(*) AS row_count FROM {{ model }} GROUP BY {{ columns | join(', ') }} HAVING count(*) > 1
{% endtest %}
