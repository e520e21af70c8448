{{ config(
    materialized='incremental', incremental_strategy='delete+insert', unique_key=['account_id', 'week'], on_schema_change='sync_all_columns',
    indexes=[{'columns': ['account_id', 'week']}],
    post_hook="{{ searchmill.remove_gone_weeks(['average_place', 'first_places', 'first_three', 'found', 'tracked', 'visibility']) }}"
) }}
{{ searchmill.unit_rows(
    measures=['average_place', 'first_places', 'first_three', 'found', 'tracked', 'visibility'],
    columns=['unit', 'web_property_id', 'keyword', 'engine', 'country', 'language', 'locode', 'device', 'keyword_groups', 'volume']
) }}
