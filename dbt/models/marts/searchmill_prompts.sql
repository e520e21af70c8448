{{ config(
    materialized='incremental', incremental_strategy='delete+insert', unique_key=['account_id', 'week'], on_schema_change='sync_all_columns',
    indexes=[{'columns': ['account_id', 'week']}],
    post_hook="{{ searchmill.remove_gone_weeks(['citation_share', 'citations', 'citing_rate', 'criticism', 'mention_rate', 'sentiment', 'share_of_voice']) }}"
) }}
{{ searchmill.unit_rows(
    measures=['citation_share', 'citations', 'citing_rate', 'criticism', 'mention_rate', 'sentiment', 'share_of_voice'],
    columns=['unit', 'web_property_id', 'assistant', 'country', 'locode', 'language', 'persona', 'topic', 'intent', 'prompt', 'prompt_type', 'prompt_groups']
) }}
